// Makes one build fast on every processor: the compiler makes a clone of a hot function for each
// level of the instruction set, and the loader picks one. Sanitizers cannot instrument that choice.
#pragma once

#if defined(FIRTH_ONLY)
#define FIRTH_CLONES __attribute__((target(FIRTH_ONLY)))
#elif defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(FIRTH_NO_CLONES)
#define FIRTH_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FIRTH_CLONES
#endif
