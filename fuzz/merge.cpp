// Valid and damaged matrices through merging and checking, against sums in a map.
#include "merge.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "files.hpp"
#include "inputs.hpp"
#include "matrices.hpp"

namespace firth::fuzz {
namespace {

// One matrix: the arrays that a Source points to, or the files of a Run.
struct Matrix {
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> columns;
    std::vector<std::uint64_t> values;
    std::vector<std::uint32_t> narrow;
    std::vector<std::int64_t> row_of;
    std::vector<std::int32_t> column_to;
    std::vector<std::unique_ptr<Scratch>> files;
    Source source;
    Run run;
};

struct Shape {
    std::size_t rows;
    std::size_t columns;
};

Shape make_shape(Random& random) {
    if (random.one_in(1000)) return {random.between(1, 300), random.between(1U << 20U, 3U << 20U)};
    if (random.one_in(50)) return {random.between(200, 1200), random.between(1, 300)};
    return {random.below(8), random.between(1, 12)};
}

// Makes a valid matrix that fits the sum; some have maps, but runs have none.
void fill(Random& random, const Shape& shape, bool to_run, Matrix& m) {
    Source& s = m.source;
    const bool mapped = !to_run && random.one_in(3);
    const bool renamed = !to_run && random.one_in(3);
    s.rows = mapped ? random.below(9) : shape.rows + random.below(3);
    s.width = renamed ? random.between(1, 12) : random.between(1, shape.columns);
    s.wide = random.one_in(3);
    for (std::size_t row = 0; row < s.rows; ++row) {
        std::vector<std::int32_t> row_columns(random.below(5));
        for (auto& column : row_columns) column = static_cast<std::int32_t>(random.below(s.width));
        std::sort(row_columns.begin(), row_columns.end());
        row_columns.erase(std::unique(row_columns.begin(), row_columns.end()), row_columns.end());
        m.columns.insert(m.columns.end(), row_columns.begin(), row_columns.end());
        m.starts.push_back(static_cast<std::int64_t>(m.columns.size()));
    }
    // Large values are mostly rare, so that values of 64 bits come after blocks of 32 have been
    // stored.
    const std::size_t large_in = random.one_in(3) ? 3 : random.between(50, 3000);
    for (std::size_t i = 0; i < m.columns.size(); ++i) {
        const std::uint64_t large =
            s.wide ? random.next() >> random.below(64) : random.next() & 0xFFFFFFFFU;
        m.values.push_back(random.one_in(large_in) ? large : random.below(4));
    }
    if (mapped) {
        for (std::size_t row = 0; row < shape.rows; ++row)
            m.row_of.push_back(static_cast<std::int64_t>(random.below(s.rows + 1)) - 1);
    }
    if (renamed)
        for (std::size_t column = 0; column < s.width; ++column)
            m.column_to.push_back(static_cast<std::int32_t>(random.below(shape.columns)));
}

// Damages the content of the arrays. Their lengths stay: the bindings check those.
void break_content(Random& random, Matrix& m) {
    const auto hostile = [&](std::size_t near) -> std::int64_t {
        switch (random.below(4)) {
            case 0:
                return static_cast<std::int64_t>(random.next());
            case 1:
                return -static_cast<std::int64_t>(random.between(1, 3));
            default:
                return static_cast<std::int64_t>(random.below(near + 3));
        }
    };
    for (std::size_t times = random.between(1, 3); times > 0; --times) {
        switch (random.below(4)) {
            case 0:
                m.starts[random.below(m.starts.size())] = hostile(m.columns.size());
                break;
            case 1:
                if (!m.columns.empty())
                    m.columns[random.below(m.columns.size())] =
                        static_cast<std::int32_t>(hostile(m.source.width));
                break;
            case 2:
                if (!m.row_of.empty())
                    m.row_of[random.below(m.row_of.size())] = hostile(m.source.rows);
                break;
            default:
                if (!m.columns.empty())
                    std::swap(m.columns[random.below(m.columns.size())],
                              m.columns[random.below(m.columns.size())]);
        }
    }
}

// Points the source at its arrays.
void point(Matrix& m) {
    Source& s = m.source;
    s.size = static_cast<std::int64_t>(m.columns.size());
    m.narrow.assign(m.values.begin(), m.values.end());
    s.column_to = m.column_to.empty() ? nullptr : m.column_to.data();
    s.row_of = m.row_of.empty() ? nullptr : m.row_of.data();
    s.starts = m.starts.data();
    s.columns = m.columns.data();
    s.values = s.wide ? static_cast<const void*>(m.values.data()) : m.narrow.data();
}

// Writes the matrix to files as a run, number by number. If hostile, changes bytes, shortens a
// file, claims a wrong size, or uses a file that is not seekable or not open.
void pack(Random& random, bool hostile, int pipe, Matrix& m) {
    std::vector<std::uint8_t> bytes;
    std::vector<std::int64_t> starts{0};
    const auto put = [&](std::uint64_t number) {
        std::uint8_t buffer[kLongestNumber];
        bytes.insert(bytes.end(), buffer, put_number(buffer, number));
    };
    for (std::size_t row = 0; row < m.source.rows; ++row) {
        std::uint64_t next = 0;
        for (std::int64_t i = m.starts[row]; i < m.starts[row + 1]; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const auto column = static_cast<std::uint64_t>(m.columns[at]);
            put(column - next);
            put(m.values[at]);
            next = column + 1;
        }
        starts.push_back(static_cast<std::int64_t>(bytes.size()));
    }
    Run& run = m.run;
    run.offset = random.below(130);
    run.size = static_cast<std::int64_t>(bytes.size());
    if (hostile && !random.one_in(3)) {
        for (std::size_t times = random.between(1, 3); times > 0; --times) {
            if (!bytes.empty() && random.one_in(2)) {
                bytes[random.below(bytes.size())] = static_cast<std::uint8_t>(random.next());
            } else {
                starts[random.below(starts.size())] = static_cast<std::int64_t>(
                    random.one_in(2) ? random.next() : random.below(bytes.size() + 3));
            }
        }
    }
    for (int i = 0; i < 2; ++i) m.files.push_back(std::make_unique<Scratch>());
    write_at(m.files[0]->file(), starts.data(), starts.size() * 8, run.offset);
    write_at(m.files[1]->file(), bytes.data(), bytes.size(), 0);
    run.starts = m.files[0]->file();
    run.packed = m.files[1]->file();
    if (!hostile || random.one_in(2)) return;
    int& some = random.one_in(2) ? run.starts : run.packed;
    switch (random.below(3)) {
        case 0:
            if (ftruncate(some, static_cast<off_t>(random.below(run.offset + 40))) != 0)
                throw Wrong("a file cannot be shortened");
            break;
        case 1:
            some = random.one_in(2) ? pipe : 1000;  // the latter is not open
            break;
        default:
            run.size = static_cast<std::int64_t>(random.one_in(2) ? random.next() >> 1U
                                                                  : random.below(60));
    }
}

// Adds the matrices into `cells`. Returns false if a cell exceeds the limit.
bool add_up(const std::vector<Matrix>& matrices, const Shape& shape, std::uint64_t limit,
            Cells& cells) {
    for (const Matrix& m : matrices) {
        for (std::size_t row = 0; row < shape.rows; ++row) {
            const std::int64_t own =
                m.row_of.empty() ? static_cast<std::int64_t>(row) : m.row_of[row];
            if (own < 0) continue;
            const auto at = static_cast<std::size_t>(own);
            for (std::int64_t i = m.starts[at]; i < m.starts[at + 1]; ++i) {
                const auto entry = static_cast<std::size_t>(i);
                const std::int32_t column = m.columns[entry];
                const std::int32_t to =
                    m.column_to.empty() ? column : m.column_to[static_cast<std::size_t>(column)];
                if (m.values[entry] == 0) continue;
                std::uint64_t& cell = cells[{row, static_cast<std::uint32_t>(to)}];
                if (__builtin_add_overflow(cell, m.values[entry], &cell) || cell > limit)
                    return false;
            }
        }
    }
    return true;
}

void check_sound(Random& random, const Matrix& m) {
    const auto size = static_cast<std::int64_t>(m.columns.size());
    const auto width = static_cast<std::int64_t>(random.below(m.source.width + 3));
    bool sound = m.starts.front() == 0 && m.starts.back() == size;
    for (std::size_t row = 0; sound && row + 1 < m.starts.size(); ++row)
        sound = m.starts[row] <= m.starts[row + 1] && m.starts[row + 1] <= size;
    for (std::size_t row = 0; sound && row + 1 < m.starts.size(); ++row) {
        for (std::int64_t i = m.starts[row]; i < m.starts[row + 1]; ++i) {
            const std::int32_t column = m.columns[static_cast<std::size_t>(i)];
            sound = sound && column >= 0 && column < width &&
                    (i == m.starts[row] || m.columns[static_cast<std::size_t>(i - 1)] < column);
        }
    }
    const auto threads = static_cast<unsigned>(random.below(4));
    check(sound_rows(m.starts.data(), m.starts.size() - 1, m.columns.data(), size, width,
                     threads) == sound,
          "sound_rows is wrong");
}

void one(Random& random) {
    static int pipes[2] = {-1, -1};
    if (pipes[0] < 0 && pipe(pipes) != 0) throw Wrong("there is no pipe");
    const Shape shape = make_shape(random);
    const bool hostile = random.one_in(2);
    const bool as_runs = random.one_in(2);
    std::vector<Matrix> matrices(random.below(4));
    std::vector<Source> sources;
    std::vector<Run> runs;
    for (Matrix& m : matrices) {
        fill(random, shape, as_runs, m);
        if (as_runs) {
            pack(random, hostile, pipes[0], m);
            runs.push_back(m.run);
            continue;
        }
        if (hostile && !random.one_in(3)) break_content(random, m);
        check_sound(random, m);
        point(m);
        sources.push_back(m.source);
    }
    const std::uint64_t limit = random.one_in(4) ? random.next() >> random.below(64)
                                                 : std::numeric_limits<std::int64_t>::max();
    const auto threads = static_cast<unsigned>(random.below(5));
    const std::size_t batch = random.one_in(2) ? random.between(1, 40) : 1U << 16U;
    Rows rows(random, shape.rows);
    Cells expected;
    try {
        const Poll poll = [](std::size_t, std::size_t) {};
        if (as_runs) {
            merge_runs(runs, shape.rows, shape.columns, limit, batch, rows.sink(), threads, poll);
        } else {
            merge_rows(sources, shape.rows, shape.columns, limit, rows.sink(), threads, poll);
        }
    } catch (const std::overflow_error&) {
        check(hostile || !add_up(matrices, shape, limit, expected), "a sum that fits was refused");
        return;
    } catch (const std::invalid_argument&) {
        check(hostile, "a valid matrix was refused");
        return;
    } catch (const std::system_error&) {
        check(hostile, "a valid file was refused");
        return;
    }
    const Cells cells = rows.cells();
    for (const auto& [place, value] : cells)
        check(place.second < shape.columns && value <= limit, "a cell is outside the sum");
    if (hostile) return;
    check(add_up(matrices, shape, limit, expected), "a sum beyond the limit was accepted");
    check(cells == expected, "the sum is wrong");
}

}  // namespace
}  // namespace firth::fuzz

int main(int argc, char** argv) { return firth::fuzz::run(argc, argv, firth::fuzz::one); }
