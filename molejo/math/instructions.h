// The instruction set of the kernels, chosen when the program runs.
//
// A source f_pack.cpp is compiled twice: as `baseline`, for every processor of the architecture,
// and as `wide`, for x86-64 with AVX2. Both give the same bits. The wide ones are one object that
// shares nothing with the rest but the functions of namespace `wide` (cmake/wide.cmake): what it
// has of templates and inline functions serves it alone.
//
//   // f_pack.cpp                            // f.cpp
//   namespace molejo::MOLEJO_SET {           namespace molejo {
//   void f(Pack4* x) { ... }                 MOLEJO_IN_BOTH_SETS(void f(Pack4* x);)
//   }                                        void f(Pack4* x) { MOLEJO_CHOSEN(f)(x); }
//                                            }
//
// Variables of the library that kernels change must not be inline: there would be two.
#pragma once

#include <string>

#ifndef MOLEJO_SET
#define MOLEJO_SET baseline
#endif
#define MOLEJO_IN_BOTH_SETS(...) \
  namespace baseline {           \
  __VA_ARGS__                    \
  }                              \
  namespace wide {               \
  __VA_ARGS__                    \
  }
#ifdef MOLEJO_TWO_SETS
#define MOLEJO_CHOSEN(function) (molejo::runs_wide() ? wide::function : baseline::function)
#else
#define MOLEJO_CHOSEN(function) baseline::function
#endif

namespace molejo {

// Do kernels use AVX2? They do where the processor has it, unless the variable MOLEJO_INSTRUCTIONS
// of the environment is "baseline". Decided once: there, what instructions_trouble tells is written
// to standard error, and the processor decides. Programs that ask before can refuse to run.
bool runs_wide();

// One line if that variable asks for what is not there or is unknown; else empty.
std::string instructions_trouble();

}  // namespace molejo
