// A dense row of counts that records which columns it has touched. Emitting its nonzeros in column
// order and clearing it take time in proportion to the nonzeros, not to the vocabulary.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace firth {

template <class Value>
class Accumulator {
  public:
    explicit Accumulator(std::size_t columns)
        : values_(columns, 0),
          touched_(columns + 1, 0),
          bits_(columns / 64 + 1, 0),
          summary_(columns / 4096 + 1, 0) {}

    void add(std::uint32_t column, Value amount) noexcept {
        // Append without a branch, because the processor cannot predict whether a column is new.
        touched_[size_] = column;
        size_ += values_[column] == 0;
        values_[column] += amount;
    }

    // Returns false, and adds nothing, if the sum would exceed `limit`.
    bool add_checked(std::uint32_t column, Value amount, Value limit) noexcept {
        if (amount > limit || values_[column] > limit - amount) return false;
        add(column, amount);
        return true;
    }

    // Calls emit(column, value) for each touched column below `end`, in order, and clears the row.
    template <class Emit>
    void drain(std::size_t end, Emit&& emit) {
        for (std::size_t i = 0; i < size_; ++i) {
            const std::uint32_t column = touched_[i];
            if (column >= end) {
                values_[column] = 0;
                continue;
            }
            bits_[column >> 6] |= std::uint64_t{1} << (column & 63);
            summary_[column >> 12] |= std::uint64_t{1} << ((column >> 6) & 63);
        }
        const std::size_t groups = size_ == 0 ? 0 : summary_.size();
        size_ = 0;
        for (std::size_t group = 0; group < groups; ++group) {
            for (std::uint64_t words = summary_[group]; words != 0; words &= words - 1) {
                const std::size_t word = group * 64 + std::countr_zero(words);
                for (std::uint64_t bits = bits_[word]; bits != 0; bits &= bits - 1) {
                    const std::size_t column = word * 64 + std::countr_zero(bits);
                    emit(static_cast<std::uint32_t>(column), values_[column]);
                    values_[column] = 0;
                }
                bits_[word] = 0;
            }
            summary_[group] = 0;
        }
    }

    std::size_t touched() const noexcept { return size_; }

  private:
    std::vector<Value> values_;
    std::vector<std::uint32_t> touched_;
    std::vector<std::uint64_t> bits_;
    std::vector<std::uint64_t> summary_;
    std::size_t size_ = 0;
};

}  // namespace firth
