// SPDX-License-Identifier: Apache-2.0
//
// blackhole_sink: takes rows of any kind and forgets them ('connector' = 'blackhole'). NOT NULL
// columns are looked after as everywhere.
#pragma once

#include "exec/sink.h"

extern const struct sink_class blackhole_sink_class;
