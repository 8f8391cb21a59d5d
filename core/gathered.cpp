#include "gathered.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "pages.hpp"

namespace firth {
namespace {

// Inlined into a function for each level of instructions, so that it has those.
#define FIRTH_INLINE __attribute__((always_inline)) inline

// Loops over registers. Sanitizers would watch every one of the copies.
#ifdef FIRTH_SANITIZED
#define FIRTH_UNROLL
#else
#define FIRTH_UNROLL _Pragma("GCC unroll 16")
#endif

// Registers of W floats.
template <std::size_t W>
struct Register;
#define FIRTH_REGISTER(W)                                                       \
    template <>                                                                 \
    struct Register<W> {                                                        \
        using Floats = float __attribute__((vector_size((W) * sizeof(float)))); \
        using Places = int __attribute__((vector_size((W) * sizeof(int))));     \
    }
FIRTH_REGISTER(4);
FIRTH_REGISTER(8);
FIRTH_REGISTER(16);
#undef FIRTH_REGISTER

template <std::size_t W>
using Floats = typename Register<W>::Floats;

template <std::size_t W>
FIRTH_INLINE void load(Floats<W>& to, const float* from) {
    std::memcpy(&to, from, sizeof to);
}

// The lower or upper halves of each group of 2H lanes, those of `a` before those of `b`.
template <std::size_t W, std::size_t H, std::size_t Upper, std::size_t... Lane>
FIRTH_INLINE void halves(Floats<W>& out, const Floats<W>& a, const Floats<W>& b,
                         std::index_sequence<Lane...> /*lanes*/) {
    constexpr auto kFrom = [](std::size_t lane) {
        return static_cast<int>(lane / (2 * H) * (2 * H) + lane % H + Upper * H + lane / H % 2 * W);
    };
#ifdef __clang__
    out = __builtin_shufflevector(a, b, kFrom(Lane)...);
#else
    out = __builtin_shuffle(a, b, typename Register<W>::Places{kFrom(Lane)...});
#endif
}

// Sums of neighbouring groups of H lanes, of `a` and `b` side by side; the result is in `a`.
template <std::size_t W, std::size_t H>
FIRTH_INLINE void fold(Floats<W>& a, const Floats<W>& b) {
    constexpr std::make_index_sequence<W> kLanes{};
    Floats<W> lower;
    Floats<W> upper;
    halves<W, H, 0>(lower, a, b, kLanes);
    halves<W, H, 1>(upper, a, b, kLanes);
    a = lower + upper;
}

// Makes sums[0] the vector of what the lanes of each sum add up to.
template <std::size_t W, std::size_t H = W / 2>
FIRTH_INLINE void fold_all(Floats<W>* sums) {
    FIRTH_UNROLL
    for (std::size_t k = 0; k < H; ++k) fold<W, H>(sums[k], sums[k + H]);
    if constexpr (H > 1) fold_all<W, H / 2>(sums);
}

// sums[k] += the products of row k with C registers.
template <std::size_t W, std::size_t C>
FIRTH_INLINE void multiply(const float* const* rows, std::size_t at, const Floats<W>* u,
                           Floats<W>* sums) {
    FIRTH_UNROLL
    for (std::size_t k = 0; k < W; ++k) {
        const float* const row = rows[k] + at;
        FIRTH_UNROLL
        for (std::size_t c = 0; c < C; ++c) {
            Floats<W> v;
            load<W>(v, row + c * W);
            sums[k] += v * u[c];
        }
    }
}

// C registers += the rows of a block, each times its factor.
template <std::size_t W, std::size_t C>
FIRTH_INLINE void add(const float* const* rows, std::size_t at, const float* factors,
                      Floats<W>* sum) {
    FIRTH_UNROLL
    for (std::size_t k = 0; k < kBlock; ++k) {
        const float* const row = rows[k] + at;
        FIRTH_UNROLL
        for (std::size_t c = 0; c < C; ++c) {
            Floats<W> v;
            load<W>(v, row + c * W);
            sum[c] += factors[k] * v;
        }
    }
}

template <std::size_t W, std::size_t C>
FIRTH_INLINE void load_all(Floats<W>* to, const float* from) {
    FIRTH_UNROLL
    for (std::size_t c = 0; c < C; ++c) load<W>(to[c], from + c * W);
}

// A vector u of C registers, and a sum: both stay in registers from block to block.
template <std::size_t W, std::size_t C>
class Short {
  public:
    static constexpr bool kShort = true;

    FIRTH_INLINE Short(std::size_t /*stride*/, const float* u, float* sum) : out_(sum) {
        load_all<W, C>(u_, u);
        if (sum != nullptr) load_all<W, C>(sum_, sum);
    }
    FIRTH_INLINE void dot(const float* const* rows, float* dots) const {
        for (std::size_t first = 0; first < kBlock; first += W) {
            Floats<W> sums[W] = {};
            multiply<W, C>(rows + first, 0, u_, sums);
            fold_all<W>(sums);
            std::memcpy(dots + first, sums, sizeof *sums);
        }
    }
    FIRTH_INLINE void add_rows(const float* const* rows, const float* factors) {
        add<W, C>(rows, 0, factors, sum_);
    }
    FIRTH_INLINE void fetch(const float* const* rows) const {
        FIRTH_UNROLL
        for (std::size_t k = 0; k < kBlock; ++k) FIRTH_UNROLL
        for (std::size_t c = 0; c < C * W; c += 16) __builtin_prefetch(rows[k] + c);
    }
    FIRTH_INLINE void store() const {
        if (out_ != nullptr) std::memcpy(out_, sum_, sizeof sum_);
    }

  private:
    Floats<W> u_[C];
    Floats<W> sum_[C] = {};
    float* out_;
};

// A longer one, of which Most registers are loaded at a time, and C at the end.
template <std::size_t W, std::size_t Most, std::size_t C>
class Long {
  public:
    static constexpr bool kShort = false;

    FIRTH_INLINE Long(std::size_t stride, const float* u, float* sum)
        : stride_(stride), u_(u), out_(sum) {}
    FIRTH_INLINE void dot(const float* const* rows, float* dots) const {
        for (std::size_t first = 0; first < kBlock; first += W) {
            Floats<W> sums[W] = {};
            std::size_t at = 0;
            for (; at + C * W < stride_; at += Most * W) dot_part<Most>(rows + first, at, sums);
            dot_part<C>(rows + first, at, sums);
            fold_all<W>(sums);
            std::memcpy(dots + first, sums, sizeof *sums);
        }
    }
    FIRTH_INLINE void add_rows(const float* const* rows, const float* factors) {
        std::size_t at = 0;
        for (; at + C * W < stride_; at += Most * W) add_part<Most>(rows, at, factors);
        add_part<C>(rows, at, factors);
    }
    FIRTH_INLINE void store() const {}

  private:
    template <std::size_t Part>
    FIRTH_INLINE void dot_part(const float* const* rows, std::size_t at, Floats<W>* sums) const {
        Floats<W> u[Part];
        load_all<W, Part>(u, u_ + at);
        multiply<W, Part>(rows, at, u, sums);
    }
    template <std::size_t Part>
    FIRTH_INLINE void add_part(const float* const* rows, std::size_t at, const float* factors) {
        Floats<W> part[Part];
        load_all<W, Part>(part, out_ + at);
        add<W, Part>(rows, at, factors, part);
        std::memcpy(out_ + at, part, sizeof part);
    }

    std::size_t stride_;
    const float* u_;
    float* out_;
};

// Doubles that add up what a block's lanes bring.
struct Total {
    std::array<double, kBlock> lanes{};

    double sum() const {
        double all = 0;
        for (const double lane : lanes) all += lane;
        return all;
    }
};

struct Residuals {
    static constexpr bool kAdds = true;
    Terms terms;
    Total loss;
    std::array<float, kBlock> weight{};

    FIRTH_INLINE void factors(std::size_t at, const float* dots, float* out) {
        for (std::size_t k = 0; k < kBlock; ++k) {
            const float error = terms.targets[at + k] - dots[k];
            const float pull = terms.pulls[at + k];
            out[k] = terms.weights[at + k] * error + pull;
            loss.lanes[k] += static_cast<double>(error * (out[k] + pull));
            weight[k] += terms.weights[at + k];
        }
    }
};

struct Products {
    static constexpr bool kAdds = true;
    const float* weights;

    FIRTH_INLINE void factors(std::size_t at, const float* dots, float* out) const {
        for (std::size_t k = 0; k < kBlock; ++k) out[k] = weights[at + k] * dots[k];
    }
};

struct Squares {
    static constexpr bool kAdds = false;
    const float* weights;
    Total total;

    FIRTH_INLINE void factors(std::size_t at, const float* dots, float* /*out*/) {
        for (std::size_t k = 0; k < kBlock; ++k)
            total.lanes[k] += static_cast<double>(weights[at + k] * dots[k] * dots[k]);
    }
};

struct Dots {
    static constexpr bool kAdds = false;
    float* dots;

    FIRTH_INLINE void factors(std::size_t at, const float* found, float* /*out*/) const {
        for (std::size_t k = 0; k < kBlock; ++k) dots[at + k] = found[k];
    }
};

// The rows of a block; past the last nonzero the last row again, whose factors are zero.
FIRTH_INLINE void find_rows(const Gathered& g, std::size_t at, const float** rows) {
    if (at + kBlock <= g.count) {
        for (std::size_t k = 0; k < kBlock; ++k)
            rows[k] = g.matrix + static_cast<std::size_t>(g.rows[at + k]) * g.stride;
    } else {
        for (std::size_t k = 0; k < kBlock; ++k) {
            const std::int32_t row = g.rows[std::min(at + k, g.count - 1)];
            rows[k] = g.matrix + static_cast<std::size_t>(row) * g.stride;
        }
    }
}

// Keeps the compiler from holding a block's rows in registers, or rather in a stack that stands in
// for them, from one use to the next: they are in cache.
FIRTH_INLINE void forget() { asm volatile("" ::: "memory"); }

// Short rows of one block are added after the dot products of the next, which need not wait for
// anything that the former end with. Long ones are added at once: the cache has no room for two
// blocks.
template <class Vector, class Work>
FIRTH_INLINE void pass(const Gathered& g, const float* u, float* sum, Work& work) {
    constexpr std::size_t kLate = Vector::kShort && Work::kAdds ? 1 : 0;
    alignas(64) const float* rows[4][kBlock];
    alignas(64) float factors[4][kBlock];
    alignas(64) float dots[kBlock];
    if (g.count == 0) return;
    Vector vector(g.stride, u, sum);
    find_rows(g, 0, rows[0]);
    const std::size_t blocks = (g.count + kBlock - 1) / kBlock;
    for (std::size_t block = 0; block < blocks; ++block) {
        if (block + 1 < blocks) {
            find_rows(g, (block + 1) * kBlock, rows[(block + 1) % 4]);
            if constexpr (Vector::kShort)
                if (g.ahead) vector.fetch(rows[(block + 1) % 4]);
        }
        vector.dot(rows[block % 4], dots);
        work.factors(block * kBlock, dots, factors[block % 4]);
        if constexpr (Work::kAdds) {
            forget();
            if (block >= kLate)
                vector.add_rows(rows[(block - kLate) % 4], factors[(block - kLate) % 4]);
            forget();
        }
    }
    if constexpr (kLate > 0) vector.add_rows(rows[(blocks - 1) % 4], factors[(blocks - 1) % 4]);
    if constexpr (Work::kAdds) vector.store();
}

// The pass for vectors of as many registers of W floats as they have: one that knows how many they
// are if there are at most Most, else pieces of kPart and a rest.
template <std::size_t W, std::size_t Most, class Work, std::size_t C = 16 / W>
FIRTH_INLINE void pass_of(const Gathered& g, const float* u, float* sum, Work& work) {
    constexpr std::size_t kPart = 4;
    constexpr std::size_t kStep = std::max<std::size_t>(1, 16 / W);
    if (g.stride == C * W) return pass<Short<W, C>>(g, u, sum, work);
    if constexpr (C <= kPart)
        if (g.stride > Most * W && (g.stride / W - 1) % kPart == C - 1)
            return pass<Long<W, kPart, C>>(g, u, sum, work);
    if constexpr (C + kStep <= Most) pass_of<W, Most, Work, C + kStep>(g, u, sum, work);
}

// One function for each level of instructions.
#ifdef FIRTH_SIMD_X86
template <class Work>
__attribute__((target("avx512f"))) void pass_512(const Gathered& g, const float* u, float* sum,
                                                 Work& work) {
    pass_of<16, 8>(g, u, sum, work);
}

template <class Work>
__attribute__((target("avx2,fma"))) void pass_256(const Gathered& g, const float* u, float* sum,
                                                  Work& work) {
    pass_of<8, 4>(g, u, sum, work);
}
#endif

template <class Work>
void pass_with(Simd simd, const Gathered& g, const float* u, float* sum, Work& work) {
#ifdef FIRTH_SIMD_X86
    if (simd == Simd::avx512) return pass_512(g, u, sum, work);
    if (simd == Simd::avx2) return pass_256(g, u, sum, work);
#endif
    (void)simd;
    pass_of<4, 4>(g, u, sum, work);
}

}  // namespace

Loss add_residuals(Simd simd, const Gathered& gathered, const Terms& terms, const float* u,
                   float* sum) {
    Residuals work{terms, {}, {}};
    pass_with(simd, gathered, u, sum, work);
    Loss found{work.loss.sum(), 0};
    for (const float part : work.weight) found.weight += static_cast<double>(part);
    return found;
}

void add_products(Simd simd, const Gathered& gathered, const float* weights, const float* u,
                  float* sum) {
    Products work{weights};
    pass_with(simd, gathered, u, sum, work);
}

void dot_products(Simd simd, const Gathered& gathered, const float* u, float* dots) {
    Dots work{dots};
    pass_with(simd, gathered, u, nullptr, work);
}

double squared_length(Simd simd, const Gathered& gathered, const float* weights, const float* u) {
    Squares work{weights, {}};
    pass_with(simd, gathered, u, nullptr, work);
    return work.total.sum();
}

}  // namespace firth
