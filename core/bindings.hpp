// Shared by the Python bindings: array types, argument checks and the progress callback.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "pages.hpp"
#include "parallel.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace firth::python {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using InOut = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// Turns pages into a NumPy array, which may have another type of the same size.
template <class T, class Held>
Out<T> array(Pages<Held>&& pages) {
    static_assert(sizeof(T) == sizeof(Held));
    auto* owned = new Pages<Held>(std::move(pages));
    const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Pages<Held>*>(p); });
    return Out<T>(reinterpret_cast<T*>(owned->data()), {owned->size()}, owner);
}

template <class T>
Out<T> array(Pages<T>&& pages) {
    return array<T, T>(std::move(pages));
}

template <class T>
Out<T> array(const std::vector<T>& values) {
    Pages<T> pages(values.size());
    std::copy(values.begin(), values.end(), pages.data());
    return array(std::move(pages));
}

inline void check(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

inline std::string_view text_of(const In<std::uint8_t>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns a callback that handles Ctrl-C and reports progress to Python. It holds `progress` by
// reference: kernels run without the interpreter lock, which is needed to copy a Python object.
inline Poll poll_for(const nb::object& progress) {
    return [&progress](std::size_t done, std::size_t all) {
        const nb::gil_scoped_acquire lock;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!progress.is_none()) progress(done, all);
    };
}

// Decodes a word as UTF-8; `errors` is that of Python's bytes.decode().
inline nb::object decoded(std::string_view word, const char* errors) {
    PyObject* text =
        PyUnicode_DecodeUTF8(word.data(), static_cast<Py_ssize_t>(word.size()), errors);
    if (text == nullptr) throw nb::python_error();
    return nb::steal(text);
}

// Defined in the other bindings files.
void bind_clusters(nb::module_& m);
void bind_counting(nb::module_& m);
void bind_linalg(nb::module_& m);
void bind_vectors(nb::module_& m);
void bind_tagging(nb::module_& m);
void bind_senses(nb::module_& m);
void bind_weighted(nb::module_& m);

}  // namespace firth::python
