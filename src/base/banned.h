// SPDX-License-Identifier: Apache-2.0
//
// banned: calls that have a better form here. Included on the command line in front of every file.
#pragma once

#ifndef BANNED_ALLOWED
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define BANNED(name, instead) banned_##name##_use_##instead
#undef strcpy
#define strcpy BANNED(strcpy, memcpy)
#undef strcat
#define strcat BANNED(strcat, strbuf)
#undef strncpy
#define strncpy BANNED(strncpy, memcpy)
#undef sprintf
#define sprintf BANNED(sprintf, snprintf)
#undef vsprintf
#define vsprintf BANNED(vsprintf, vsnprintf)
#undef gets
#define gets BANNED(gets, fgets)
#undef strtok
#define strtok BANNED(strtok, str_find)
#undef atoi
#define atoi BANNED(atoi, str_to_i64)
#undef atol
#define atol BANNED(atol, str_to_i64)
#undef localtime
#define localtime BANNED(localtime, timezone)
#undef rand
#define rand BANNED(rand, random_seeded)
#endif
