#include "count.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>

#include "accumulator.hpp"
#include "clones.hpp"
#include "stream.hpp"

namespace firth {
namespace {

// How many postings ahead to prefetch: a cache miss takes about as long as eight windows of ten.
constexpr std::ptrdiff_t kAhead = 8;
// Postings in one block of rows: few enough to balance the threads, enough to keep overhead low.
constexpr std::int64_t kBlockWork = 1 << 15;
constexpr std::size_t kBlockRows = 1 << 12;
constexpr std::size_t kSliceChecked = kSanitized ? 4 : 1 << 20;  // ids or postings
constexpr std::uint64_t kLargest = 0x7FFFFFFFFFFFFFFFULL;

// Adds the window around each posting, up to the ends of its line.
template <class Id, class Value>
inline void walk_both(const Id* contexts, const std::uint32_t* at, std::ptrdiff_t postings,
                      const Value* left, std::ptrdiff_t left_reach, const Value* right,
                      std::ptrdiff_t right_reach, Accumulator<Value>& row) {
    for (std::ptrdiff_t i = 0; i < postings; ++i) {
        if (i + kAhead < postings) {
            const Id* ahead = contexts + at[i + kAhead];
            __builtin_prefetch(ahead - left_reach);
            __builtin_prefetch(ahead + right_reach);
        }
        const Id* here = contexts + at[i];
        for (std::ptrdiff_t d = 1; d <= left_reach; ++d) {
            const Id context = here[-d];
            if (context == kEndOfLine<Id>) break;
            row.add(context, left[d - 1]);
        }
        for (std::ptrdiff_t d = 1; d <= right_reach; ++d) {
            const Id context = here[d];
            if (context == kEndOfLine<Id>) break;
            row.add(context, right[d - 1]);
        }
    }
}

// Adds the context at one offset from each posting, unless a line ends in between.
template <class Id, class Value>
inline void walk_one(const Id* contexts, const std::uint32_t* at, std::ptrdiff_t postings,
                     std::ptrdiff_t offset, Value weight, Accumulator<Value>& row) {
    const std::ptrdiff_t step = offset < 0 ? -1 : 1;
    for (std::ptrdiff_t i = 0; i < postings; ++i) {
        if (i + kAhead < postings) __builtin_prefetch(contexts + at[i + kAhead]);
        const Id* here = contexts + at[i];
        std::ptrdiff_t d = step;
        while (d != offset && here[d] != kEndOfLine<Id>) d += step;
        if (here[d] != kEndOfLine<Id>) row.add(here[d], weight);
    }
}

// One overload per type rather than a template, because templates cannot have clones.
#define FIRTH_WALK(Id, Value)                                                                    \
    FIRTH_CLONES void walk(const Id* contexts, const std::uint32_t* at, std::ptrdiff_t postings, \
                           const std::vector<Value>& left, const std::vector<Value>& right,      \
                           Accumulator<Value>& row) {                                            \
        walk_both(contexts, at, postings, left.data(), std::ssize(left), right.data(),           \
                  std::ssize(right), row);                                                       \
    }
FIRTH_WALK(std::uint16_t, std::uint32_t)
FIRTH_WALK(std::uint16_t, std::uint64_t)
FIRTH_WALK(std::uint32_t, std::uint32_t)
FIRTH_WALK(std::uint32_t, std::uint64_t)
#undef FIRTH_WALK

// What a worker needs to count rows with values of one width.
template <class Value>
struct Side {
    std::vector<Value> left;
    std::vector<Value> right;
    std::unique_ptr<Accumulator<Value>> row;

    Side(const Windows& windows, std::size_t universe)
        : left(windows.left.begin(), windows.left.end()),
          right(windows.right.begin(), windows.right.end()),
          row(std::make_unique<Accumulator<Value>>(universe)) {}

    template <class Id>
    void count(const Postings<Id>& postings, Blocks blocks, std::size_t r, RowBlock& out) {
        const std::uint32_t* at = postings.positions + postings.starts[r];
        const std::ptrdiff_t n = postings.starts[r + 1] - postings.starts[r];
        const std::int64_t skip = postings.leave_out == nullptr ? -1 : postings.leave_out[r];
        const auto drain = [&](std::size_t shift) {
            row->drain(postings.columns, [&](std::uint32_t column, Value value) {
                if (column != skip) out.push(static_cast<std::uint32_t>(shift + column), value);
            });
        };
        if (blocks == Blocks::window) {
            walk(postings.contexts, at, n, left, right, *row);
            drain(0);
        } else if (blocks == Blocks::sides) {
            walk(postings.contexts, at, n, left, {}, *row);
            drain(0);
            walk(postings.contexts, at, n, {}, right, *row);
            drain(postings.columns);
        } else {
            std::size_t block = 0;
            for (std::ptrdiff_t d = std::ssize(left); d >= 1; --d, ++block) {
                walk_one(postings.contexts, at, n, -d, left[static_cast<std::size_t>(d - 1)], *row);
                drain(block * postings.columns);
            }
            for (std::ptrdiff_t d = 1; d <= std::ssize(right); ++d, ++block) {
                walk_one(postings.contexts, at, n, d, right[static_cast<std::size_t>(d - 1)], *row);
                drain(block * postings.columns);
            }
        }
        out.end_row();
    }
};

// Each side is made when a row first needs it.
struct Worker {
    std::unique_ptr<Side<std::uint32_t>> narrow;
    std::unique_ptr<Side<std::uint64_t>> wide;
};

template <class Id>
std::vector<std::size_t> cut(const Postings<Id>& postings) {
    std::vector<std::size_t> edges{0};
    for (std::size_t row = 0; row < postings.rows; ++row) {
        const std::size_t first = edges.back();
        if (row > first && (postings.starts[row + 1] - postings.starts[first] > kBlockWork ||
                            row - first >= kBlockRows))
            edges.push_back(row);
    }
    edges.push_back(postings.rows);
    return edges;
}

}  // namespace

template <class Id>
const char* flaw(const Postings<Id>& postings, std::size_t size, unsigned threads) {
    if (size < 2 || postings.contexts[0] != kEndOfLine<Id> ||
        postings.contexts[size - 1] != kEndOfLine<Id>)
        return "a stream must begin and end with an end of line";
    const auto count = static_cast<std::size_t>(postings.starts[postings.rows]);
    std::atomic<bool> ids_fit{true};
    std::atomic<bool> postings_fit{true};
    const std::size_t slices = std::max(size, count) / kSliceChecked + 1;
    parallel_for(slices, threads, [&](std::size_t slice, unsigned, Loop&) {
        Id largest = 0;  // of ids plus 1; the end of a line wraps round to 0
        for (std::size_t i = size * slice / slices; i < size * (slice + 1) / slices; ++i)
            largest = std::max(largest, static_cast<Id>(postings.contexts[i] + 1));
        if (largest > postings.universe) ids_fit = false;
        std::uint32_t least = 1;
        std::uint32_t most = 1;
        for (std::size_t i = count * slice / slices; i < count * (slice + 1) / slices; ++i) {
            least = std::min(least, postings.positions[i]);
            most = std::max(most, postings.positions[i]);
        }
        if (least == 0 || (count > 0 && most >= size - 1)) postings_fit = false;
    });
    if (!ids_fit) return "an id of the stream lies outside the vocabulary";
    return postings_fit ? nullptr : "a posting lies outside the stream";
}

template <class Id>
void count_rows(const Postings<Id>& postings, const Windows& windows, RowSink& sink,
                unsigned threads, const Poll& poll) {
    std::uint64_t heaviest = 0;  // the most that one posting can add to one cell
    for (const auto* side : {&windows.left, &windows.right})
        for (const std::uint64_t weight : *side) heaviest += weight;
    // With at most this many postings no cell exceeds 32 bits; rows with more have 64-bit values.
    const std::uint64_t narrow_most = heaviest == 0 ? ~std::uint64_t{0} : 0xFFFFFFFFU / heaviest;
    if (heaviest > 0 && postings.starts[postings.rows] > 0 &&
        static_cast<std::uint64_t>(postings.starts[postings.rows]) > kLargest / heaviest)
        throw std::overflow_error("a count could exceed 2^63: count in smaller chunks");
    std::vector<Worker> workers(std::max(threads, 1U));
    const std::vector<std::size_t> edges = cut(postings);
    parallel_for(
        edges.size() - 1, threads,
        [&](std::size_t item, unsigned worker, Loop& loop) {
            auto& [narrow, wide] = workers[worker];
            RowBlock block = sink.block();
            for (std::size_t row = edges[item]; row < edges[item + 1]; ++row) {
                const auto n =
                    static_cast<std::uint64_t>(postings.starts[row + 1] - postings.starts[row]);
                if (n <= narrow_most) {
                    if (!narrow)
                        narrow = std::make_unique<Side<std::uint32_t>>(windows, postings.universe);
                    narrow->count(postings, windows.blocks, row, block);
                } else {
                    if (!wide)
                        wide = std::make_unique<Side<std::uint64_t>>(windows, postings.universe);
                    wide->count(postings, windows.blocks, row, block);
                }
            }
            sink.put(item, std::move(block), loop);
        },
        poll);
    sink.finish();
}

template const char* flaw(const Postings<std::uint16_t>&, std::size_t, unsigned);
template const char* flaw(const Postings<std::uint32_t>&, std::size_t, unsigned);
template void count_rows(const Postings<std::uint16_t>&, const Windows&, RowSink&, unsigned,
                         const Poll&);
template void count_rows(const Postings<std::uint32_t>&, const Windows&, RowSink&, unsigned,
                         const Poll&);

}  // namespace firth
