// Random streams through place, bucket and count_rows, against simple oracles.
#include "count.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <vector>

#include "inputs.hpp"
#include "matrices.hpp"
#include "stream.hpp"

namespace firth::fuzz {
namespace {

template <class Id>
using Stream = std::vector<Id>;
using Positions = std::vector<std::uint32_t>;
__extension__ using Wide = unsigned __int128;
constexpr int kNotOpen = 1000;

// Two streams of ids over the same positions, of rows and of contexts, with ends of lines between.
template <class Id>
struct Text {
    Stream<Id> words;
    Stream<Id> contexts;
    std::size_t rows = 0;
    std::size_t universe = 0;
    std::size_t columns = 0;
};

template <class Id>
Text<Id> make_text(Random& random) {
    Text<Id> text;
    // Some texts have enough rows for several blocks, and enough ids for every level of the bitmap.
    const bool many = random.one_in(400);
    text.universe = many ? random.between(4000, 14000) : random.between(1, 40);
    text.rows = many ? random.between(4000, 14000) : random.below(40);
    text.columns = random.one_in(3) ? random.below(text.universe + 1) : text.universe;
    const std::size_t size = many ? random.between(100, 30000) : random.below(80);
    const std::size_t line = random.between(1, 40);
    text.words.push_back(kEndOfLine<Id>);
    text.contexts.push_back(kEndOfLine<Id>);
    for (std::size_t i = 0; i < size; ++i) {
        const bool ends = random.one_in(line);
        const std::size_t skew = random.one_in(2) ? 3 : text.rows + 3;  // some words are frequent
        text.words.push_back(ends ? kEndOfLine<Id> : static_cast<Id>(random.below(skew)));
        const std::size_t context = random.below(
            random.one_in(2) ? std::min<std::size_t>(3, text.universe) : text.universe);
        text.contexts.push_back(ends ? kEndOfLine<Id> : static_cast<Id>(context));
    }
    text.words.push_back(kEndOfLine<Id>);
    text.contexts.push_back(kEndOfLine<Id>);
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
            case 3:  // rows of a few postings exceed 32 bits
                weights[d] = random.between(1, 0xFFFFFFFFU);
                break;
            case 4:
                weights[d] = random.one_in(4) ? std::uint64_t{1} << random.below(60) : 1;
                break;
        }
    }
    return weights;
}

// Counts the windows around each posting, one context at a time.
template <class Id>
Cells brute(const Text<Id>& text, const std::vector<std::int64_t>& starts,
            const Positions& postings, const Windows& windows,
            const std::vector<std::int32_t>& leave_out) {
    Cells cells;
    const auto add = [&](std::size_t row, std::uint32_t at, std::ptrdiff_t step, std::size_t d,
                         std::uint64_t weight, std::size_t block) {
        std::size_t position = at;
        for (std::size_t i = 0; i < d; ++i) {
            position += static_cast<std::size_t>(step);
            if (text.contexts.at(position) == kEndOfLine<Id>) return;
        }
        const std::uint32_t context = text.contexts[position];
        if (context >= text.columns) return;
        if (!leave_out.empty() && leave_out[row] == static_cast<std::int64_t>(context)) return;
        std::size_t shift = 0;
        if (windows.blocks == Blocks::sides && step > 0) shift = text.columns;
        if (windows.blocks == Blocks::offsets) shift = block * text.columns;
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

// Checks place with thresholds for some types: what is kept depends on places in the text alone.
template <class Id>
void check_sampling(Random& random, Tokens part, const Stream<Id>& whole, unsigned threads) {
    std::vector<std::uint32_t> thresholds(part.map.size());
    for (auto& least : thresholds)
        least = random.one_in(2) ? kAlways : static_cast<std::uint32_t>(random.next());
    part.sampling = {thresholds, random.next(), random.next()};
    Stream<Id> expected;
    std::size_t at = 0;  // of the whole stream
    std::uint64_t token = part.sampling.first;
    std::size_t dropped = 0;
    for (const std::uint32_t id : part.ids) {
        const std::uint64_t here = token;
        if (id > 0) ++token;
        if (id > 0 && part.map[id - 1] == kDropped) continue;
        const Id kept = whole[at++];
        if (id > 0 && thresholds[id - 1] != kAlways &&
            draw(part.sampling.key, here) >= thresholds[id - 1]) {
            ++dropped;
        } else {
            expected.push_back(kept);
        }
    }
    Stream<Id> out(part.ids.size());
    const Placed placed = place<Id>({part}, out, threads);
    out.resize(placed.positions);
    check(out == expected && placed.sampled_out == dropped, "the sampled stream is wrong");
}

// Checks place, with a map that drops some types and ids some of which are not in the map.
template <class Id>
void check_place(Random& random) {
    const auto threads = static_cast<unsigned>(random.below(4));
    std::vector<std::uint32_t> map(random.below(9));
    for (auto& to : map)
        to = random.one_in(4) ? kDropped : static_cast<std::uint32_t>(random.below(50));
    if (random.one_in(8) && !map.empty())  // too large for a stream of 16 bits
        map[random.below(map.size())] = static_cast<std::uint32_t>(random.between(65534, 65537));
    Positions ids(random.below(40));
    for (auto& id : ids) id = static_cast<std::uint32_t>(random.below(map.size() + 1));
    if (random.one_in(5) && !ids.empty())
        ids[random.below(ids.size())] = static_cast<std::uint32_t>(random.next());
    Stream<Id> expected;
    bool sound = std::all_of(map.begin(), map.end(), [](std::uint32_t to) {
        return to == kDropped || to < kEndOfLine<Id>;
    });
    for (const std::uint32_t id : ids) {
        sound = sound && id <= map.size();
        if (!sound) break;
        if (id == 0) expected.push_back(kEndOfLine<Id>);
        if (id > 0 && map[id - 1] != kDropped) expected.push_back(static_cast<Id>(map[id - 1]));
    }
    const std::size_t times = random.below(4);
    std::vector<Tokens> parts(times, Tokens{ids, map});
    sound |= times == 0;
    const Stream<Id> once = expected;
    expected.clear();
    for (std::size_t i = 0; i < times; ++i)
        expected.insert(expected.end(), once.begin(), once.end());
    Stream<Id> out(ids.size() * times);
    try {
        const Placed placed = place<Id>(parts, out, threads);
        out.resize(placed.positions);
        check(sound, "an id outside the map was accepted");
        check(out == expected && placed.sampled_out == 0, "the stream is wrong");
        if (times > 0) check_sampling<Id>(random, parts[0], once, threads);
    } catch (const std::out_of_range&) {
        check(!sound, "a valid part was refused");
    }
}

// Checks that valid postings have no flaw, and that a wrong id or a wrong posting is found.
template <class Id>
void check_flaws(Random& random, Postings<Id> input, Stream<Id> contexts, Positions positions,
                 unsigned threads) {
    const std::size_t size = contexts.size();
    check(flaw(input, size, threads) == nullptr, "a flaw was found in valid postings");
    if (positions.empty() || random.one_in(2)) {
        contexts[random.below(size)] =
            static_cast<Id>(random.between(input.universe, kEndOfLine<Id> - 1));
    } else {
        positions[random.below(positions.size())] = static_cast<std::uint32_t>(
            random.one_in(3) ? 0 : random.between(size - 1, kEndOfLine<std::uint32_t>));
    }
    input.contexts = contexts.data();
    input.positions = positions.data();
    check(flaw(input, size, threads) != nullptr, "a flaw was not found");
}

template <class Id>
void one_of(Random& random) {
    check_place<Id>(random);
    const Text<Id> text = make_text<Id>(random);
    const auto threads = static_cast<unsigned>(random.below(5));  // 0 means 1

    // Postings of a range of the stream, like the core of a chunk within its margins.
    const std::size_t first = random.one_in(3) ? random.below(text.words.size()) : 0;
    const std::size_t last =
        random.one_in(3) ? random.between(first, text.words.size()) : text.words.size();
    std::vector<std::int64_t> starts(text.rows + 1, -1);
    Positions postings(last - first);
    bucket(text.words.data(), first, last, text.rows, starts.data(), postings.data(), threads);
    check(starts.front() == 0 && starts.back() <= static_cast<std::int64_t>(postings.size()),
          "the postings overflow");
    postings.resize(static_cast<std::size_t>(starts.back()));
    std::vector<Positions> by_word(text.rows);
    for (std::size_t i = first; i < last; ++i)
        if (text.words[i] < text.rows)
            by_word[text.words[i]].push_back(static_cast<std::uint32_t>(i));
    for (std::size_t row = 0; row < text.rows; ++row)
        check(std::equal(by_word[row].begin(), by_word[row].end(), postings.begin() + starts[row],
                         postings.begin() + starts[row + 1]),
              "the postings are wrong");

    Windows windows{make_weights(random), make_weights(random),
                    std::array{Blocks::window, Blocks::sides, Blocks::offsets}[random.below(3)]};
    if (random.one_in(2)) windows.right = windows.left;
    std::vector<std::int32_t> leave_out(random.one_in(3) ? text.rows : 0);
    for (auto& column : leave_out)
        column = static_cast<std::int32_t>(random.below(text.columns + 1)) - 1;
    const Postings<Id> input{text.contexts.data(),
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
        } catch (const std::runtime_error&) {  // from the system, or because a count could overflow
            return;
        }
        check(sink.size() == 0, "rows were lost");
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
        check(overflows, "counts that fit were refused");
        return;
    }
    check(!overflows, "counts that could exceed 63 bits were accepted");
    check(rows.cells() == brute(text, starts, postings, windows, leave_out),
          "the counts are wrong");
}

void one(Random& random) {
    random.one_in(2) ? one_of<std::uint16_t>(random) : one_of<std::uint32_t>(random);
}

}  // namespace
}  // namespace firth::fuzz

int main(int argc, char** argv) { return firth::fuzz::run(argc, argv, firth::fuzz::one); }
