/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests in C: counts what is wrong, on every rank, and says where. */
#ifndef WEFT_TEST_CHECK_H
#define WEFT_TEST_CHECK_H

#include <stdio.h>

static int wrong = 0;

#define CHECK(condition)                                                            \
  do {                                                                              \
    if (!(condition) && ++wrong < 20) {                                             \
      printf("%s:%d: %s; %s\n", __FILE__, __LINE__, #condition, weft_last_error()); \
      fflush(stdout);                                                               \
    }                                                                               \
  } while (0)
#define OK(call) CHECK((call) == WEFT_OK)
#define FAILS(code, call) CHECK((call) == (code) && weft_last_error()[0] != '\0')

#endif
