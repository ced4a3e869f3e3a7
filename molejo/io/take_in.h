// Files as part of the program: the assembler takes them in as they are. The file that uses this
// must be told which ones, so that it is compiled again when they change (OBJECT_DEPENDS).
#pragma once

// Defines symbol[] and symbol_end[].
#define MOLEJO_TAKE_IN(symbol, file)                                                     \
  asm(".section .rodata\n.balign 16\n.global " #symbol "\n" #symbol ":\n.incbin \"" file \
      "\"\n.global " #symbol "_end\n" #symbol "_end:\n.byte 0\n.previous\n");            \
  extern "C" const char symbol[], symbol##_end[]
