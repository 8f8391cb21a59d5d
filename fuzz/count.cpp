// Random streams through placing, bucketing and counting, against windows laid by hand.
#include "count.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "inputs.hpp"
#include "matrices.hpp"
#include "stream.hpp"

namespace firth::fuzz {
namespace {

using Stream = std::vector<std::uint32_t>;
__extension__ using Wide = unsigned __int128;
constexpr int kNotOpen = 1000;

// Two streams of ids over the same positions, rows and contexts, with ends of lines between.
struct Text {
    Stream words;
    Stream contexts;
    std::size_t rows = 0;
    std::size_t universe = 0;
    std::size_t columns = 0;
};

Text make_text(Random& random) {
    Text text;
    // Now and then enough rows for several blocks, and enough ids for every level of the bitmap.
    const bool many = random.one_in(400);
    text.universe = many ? random.between(4000, 14000) : random.between(1, 40);
    text.rows = many ? random.between(4000, 14000) : random.below(40);
    text.columns = random.one_in(3) ? random.below(text.universe + 1) : text.universe;
    const std::size_t size = many ? random.between(100, 30000) : random.below(80);
    const std::size_t line = random.between(1, 40);
    text.words.push_back(kEndOfLine);
    text.contexts.push_back(kEndOfLine);
    for (std::size_t i = 0; i < size; ++i) {
        const bool ends = random.one_in(line);
        const std::size_t skew = random.one_in(2) ? 3 : text.rows + 3;  // some words are frequent
        text.words.push_back(ends ? kEndOfLine : static_cast<std::uint32_t>(random.below(skew)));
        const std::size_t context = random.below(
            random.one_in(2) ? std::min<std::size_t>(3, text.universe) : text.universe);
        text.contexts.push_back(ends ? kEndOfLine : static_cast<std::uint32_t>(context));
    }
    text.words.push_back(kEndOfLine);
    text.contexts.push_back(kEndOfLine);
    return text;
}

std::vector<std::uint64_t> make_weights(Random& random) {
    std::vector<std::uint64_t> weights(random.one_in(50) ? random.below(200) : random.below(8));
    const std::size_t kind = random.below(5);
    for (std::size_t d = 0; d < weights.size(); ++d) {
        switch (kind) {
            default:
                weights[d] = 1;
                break;
            case 1:
                weights[d] = weights.size() - d;
                break;
            case 2:
                weights[d] = 232792560 / (d % 20 + 1);
                break;
            case 3:  // rows of a few postings pass 32 bits
                weights[d] = random.between(1, 0xFFFFFFFFU);
                break;
            case 4:
                weights[d] = random.one_in(4) ? std::uint64_t{1} << random.below(60) : 1;
                break;
        }
    }
    return weights;
}

// The windows around each posting, laid by hand.
Cells brute(const Text& text, const std::vector<std::int64_t>& starts, const Stream& postings,
            const Windows& windows, const std::vector<std::int32_t>& leave_out) {
    Cells cells;
    const auto add = [&](std::size_t row, std::uint32_t at, std::ptrdiff_t step, std::size_t d,
                         std::uint64_t weight, std::size_t block) {
        std::size_t position = at;
        for (std::size_t i = 0; i < d; ++i) {
            position += static_cast<std::size_t>(step);
            if (text.contexts.at(position) == kEndOfLine) return;
        }
        const std::uint32_t context = text.contexts[position];
        if (context >= text.columns) return;
        if (!leave_out.empty() && leave_out[row] == static_cast<std::int64_t>(context)) return;
        const std::size_t shift = windows.positional ? block * text.columns : 0;
        cells[{row, static_cast<std::uint32_t>(shift + context)}] += weight;
    };
    const std::size_t left = windows.left.size();
    for (std::size_t row = 0; row + 1 < starts.size(); ++row) {
        for (std::int64_t i = starts[row]; i < starts[row + 1]; ++i) {
            const std::uint32_t at = postings[static_cast<std::size_t>(i)];
            for (std::size_t d = 1; d <= left; ++d)
                add(row, at, -1, d, windows.left[d - 1], left - d);
            for (std::size_t d = 1; d <= windows.right.size(); ++d)
                add(row, at, 1, d, windows.right[d - 1], left + d - 1);
        }
    }
    return cells;
}

// Placing a part's ids by a map, some of them dropped and some of them not in the map at all.
void check_place(Random& random) {
    const auto threads = static_cast<unsigned>(random.below(4));
    std::vector<std::uint32_t> map(random.below(9));
    for (auto& to : map)
        to = random.one_in(4) ? kDropped : static_cast<std::uint32_t>(random.below(50));
    Stream ids(random.below(40));
    for (auto& id : ids) id = static_cast<std::uint32_t>(random.below(map.size() + 1));
    if (random.one_in(5) && !ids.empty())
        ids[random.below(ids.size())] = static_cast<std::uint32_t>(random.next());
    Stream expected;
    bool sound = true;
    for (const std::uint32_t id : ids) {
        sound &= id <= map.size();
        if (!sound) break;
        const std::uint32_t to = id == 0 ? kEndOfLine : map[id - 1];
        if (to != kDropped) expected.push_back(to);
    }
    const std::size_t times = random.below(4);
    const std::vector<Tokens> parts(times, Tokens{ids, map});
    sound |= times == 0;
    const Stream once = expected;
    expected.clear();
    for (std::size_t i = 0; i < times; ++i)
        expected.insert(expected.end(), once.begin(), once.end());
    Stream out(ids.size() * times);
    try {
        out.resize(place(parts, out, threads));
        check(sound, "an id outside the map that was placed");
        check(out == expected, "another stream");
    } catch (const std::out_of_range&) {
        check(!sound, "a sound part that was not placed");
    }
}

// Sound postings have no flaw; with one id or one posting broken, they have.
void check_flaws(Random& random, Postings input, Stream contexts, Stream positions,
                 unsigned threads) {
    const std::size_t size = contexts.size();
    check(flaw(input, size, threads) == nullptr, "a flaw in sound postings");
    Stream& broken = positions.empty() || random.one_in(2) ? contexts : positions;
    std::uint32_t wrong = static_cast<std::uint32_t>(
        random.between(&broken == &contexts ? input.universe : size - 1, kDropped));
    if (&broken == &positions && random.one_in(3)) wrong = 0;
    broken[random.below(broken.size())] = wrong;
    input.contexts = contexts.data();
    input.positions = positions.data();
    check(flaw(input, size, threads) != nullptr, "a flaw that is not seen");
}

void one(Random& random) {
    check_place(random);
    const Text text = make_text(random);
    const auto threads = static_cast<unsigned>(random.below(5));  // 0 means 1

    // Postings of a stretch of the stream, as a chunk's core within its margins.
    const std::size_t first = random.one_in(3) ? random.below(text.words.size()) : 0;
    const std::size_t last =
        random.one_in(3) ? random.between(first, text.words.size()) : text.words.size();
    std::vector<std::int64_t> starts(text.rows + 1, -1);
    Stream postings(last - first);
    bucket(text.words.data(), first, last, text.rows, starts.data(), postings.data(), threads);
    check(starts.front() == 0 && starts.back() <= static_cast<std::int64_t>(postings.size()),
          "postings that overflow");
    postings.resize(static_cast<std::size_t>(starts.back()));
    std::vector<Stream> by_word(text.rows);
    for (std::size_t i = first; i < last; ++i)
        if (text.words[i] < text.rows)
            by_word[text.words[i]].push_back(static_cast<std::uint32_t>(i));
    for (std::size_t row = 0; row < text.rows; ++row)
        check(std::equal(by_word[row].begin(), by_word[row].end(), postings.begin() + starts[row],
                         postings.begin() + starts[row + 1]),
              "other postings");

    Windows windows{make_weights(random), make_weights(random), random.one_in(3)};
    if (random.one_in(2)) windows.right = windows.left;
    std::vector<std::int32_t> leave_out(random.one_in(3) ? text.rows : 0);
    for (auto& column : leave_out)
        column = static_cast<std::int32_t>(random.below(text.columns + 1)) - 1;
    const Postings input{text.contexts.data(),
                         text.universe,
                         text.columns,
                         starts.data(),
                         postings.data(),
                         text.rows,
                         leave_out.empty() ? nullptr : leave_out.data()};

    check_flaws(random, input, text.contexts, postings, threads);

    if (random.one_in(200)) {  // a file that cannot be written
        std::vector<std::int64_t> kept = starts;
        RowSink sink(random.one_in(2) ? RowFiles{.packed = kNotOpen}
                                      : RowFiles{.columns = kNotOpen, .values = kNotOpen},
                     kept.data(), text.rows);
        try {
            count_rows(input, windows, sink, threads, {});
        } catch (const std::runtime_error&) {  // of the system, or of a count that could overflow
            return;
        }
        check(sink.size() == 0, "rows that were written nowhere");
        return;
    }

    Wide heaviest = 0;
    for (const auto* side : {&windows.left, &windows.right})
        for (const std::uint64_t weight : *side) heaviest += weight;
    const bool overflows =
        heaviest * postings.size() > static_cast<Wide>(std::numeric_limits<std::int64_t>::max());
    Rows rows(random, text.rows);
    try {
        count_rows(input, windows, rows.sink(), threads, [](std::size_t, std::size_t) {});
    } catch (const std::overflow_error&) {
        check(overflows, "counts that were refused and would fit");
        return;
    }
    check(!overflows, "counts that could pass 63 bits");
    check(rows.cells() == brute(text, starts, postings, windows, leave_out), "other counts");
}

}  // namespace
}  // namespace firth::fuzz

int main(int argc, char** argv) { return firth::fuzz::run(argc, argv, firth::fuzz::one); }
