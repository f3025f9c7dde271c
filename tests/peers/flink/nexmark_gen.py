#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes NEXMark events as NDJSON: the model of the nexmark-flink generator
(proportions, id ranges, hot keys, price law, sizes), written afresh and with a
seed, so that the same arguments give the same bytes.

  nexmark_gen.py --events N [--seed S] [--first-event-id E] [--gap-us U]
                 [--base 'YYYY-MM-DD HH:MM:SS'] [--disorder SHARE]
                 [--disorder-ms MS] [--late SHARE] [--late-ms MS] > events.ndjson
  nexmark_gen.py --side-input ROWS > side_input.csv

One line an event:
  {"event_type":0|1|2,"person":{...}|null,"auction":{...}|null,"bid":{...}|null}
Of every 50 events the first is a person, the next 3 are auctions, 46 are bids.
--gap-us is the event time between two events in microseconds (nexmark's
default rate of 10 000/s is 100). --disorder delays that share of the events,
without changing their timestamps, by up to --disorder-ms; --late delays another
share by between --disorder-ms and --late-ms.
"""
import argparse
import datetime
import heapq
import math
import random
import sys

PERSON, AUCTION, TOTAL = 1, 3, 50
FIRST_PERSON, FIRST_AUCTION, FIRST_CATEGORY = 1000, 1000, 10
# As in nexmark-flink a bidder's id gets the offset twice: bidders start at 2000.
FIRST_BIDDER = 2 * FIRST_PERSON
CATEGORIES, IN_FLIGHT, ACTIVE, LEAD, HOT = 5, 100, 1000, 10, 100
HOT_AUCTION, HOT_SELLER, HOT_BIDDER = 2, 4, 4
SIZE_PERSON, SIZE_AUCTION, SIZE_BID = 200, 500, 100
STATES = "AZ CA ID OR WA WY".split()
CITIES = ["Phoenix", "Los Angeles", "San Francisco", "Boise", "Portland", "Bend",
          "Redmond", "Seattle", "Kent", "Cheyenne"]
FIRST = "Peter Paul Luke John Saul Vicky Kate Julie Sarah Deiter Walter".split()
LAST = "Shultz Abrams Spencer White Bartels Walton Smith Jones Noris".split()
HOT_CHANNELS = ["Google", "Facebook", "Baidu", "Apple"]
CHANNELS = 10000
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Generator:
    def __init__(self, seed, gap_us, base_ms):
        self.r = random.Random(seed)
        self.u = self.r.random
        self.gap_us = gap_us
        self.base_ms = base_ms
        pool = self.r.choices(LETTERS, k=1 << 20)
        self.pool = "".join(pool)
        self.hot_urls = [self.base_url() for _ in HOT_CHANNELS]
        self.channels = []
        for i in range(CHANNELS):
            url = self.base_url()
            if self.below(10) > 0:
                rev = int(format(i, "032b")[::-1], 2)
                if rev >= 1 << 31:
                    rev = (1 << 32) - rev
                url += f"&channel_id={rev}"
            self.channels.append((f"channel-{i}", url))
        self.horizon_events = IN_FLIGHT * TOTAL // AUCTION
        self.day = None
        self.day_text = ""

    def below(self, n):
        return int(self.u() * n)

    def word(self, longest, special=" "):
        n = 3 + self.below(longest - 3)
        s = "".join(special if self.below(13) == 0 else LETTERS[self.below(26)]
                    for _ in range(n))
        return s.strip()

    def base_url(self):
        return ("https://www.nexmark.com/" + self.word(5, "_") + "/" + self.word(5, "_")
                + "/" + self.word(5, "_") + "/item.htm?query=1")

    def extra(self, size, average):
        if size > average:
            return ""
        left = average - size
        delta = math.floor(left * 0.2 + 0.5)
        n = left - delta + (self.below(2 * delta) if delta else 0)
        at = self.below(len(self.pool) - n)
        return self.pool[at:at + n]

    def price(self):
        return math.floor(10.0 ** (self.u() * 6.0) * 100.0 + 0.5)

    def time_of(self, number):
        return self.base_ms + number * self.gap_us // 1000

    def text(self, ms):
        day, rest = divmod(ms, 86400000)
        if day != self.day:
            self.day = day
            self.day_text = str(datetime.date(1970, 1, 1) + datetime.timedelta(days=day))
        s, milli = divmod(rest, 1000)
        return f"{self.day_text} {s // 3600:02d}:{s // 60 % 60:02d}:{s % 60:02d}.{milli:03d}"

    @staticmethod
    def last_person(event):
        epoch, off = divmod(event, TOTAL)
        return epoch * PERSON + min(off, PERSON - 1)

    @staticmethod
    def last_auction(event):
        epoch, off = divmod(event, TOTAL)
        if off < PERSON:
            epoch, off = epoch - 1, AUCTION - 1
        elif off >= PERSON + AUCTION:
            off = AUCTION - 1
        else:
            off -= PERSON
        return epoch * AUCTION + off

    def any_person(self, event):
        people = self.last_person(event) + 1
        active = min(people, ACTIVE)
        return people - active + self.below(active + LEAD)

    def any_auction(self, event):
        last = self.last_auction(event)
        low = max(last - IN_FLIGHT, 0)
        return low + self.below(last - low + 1 + LEAD)

    def event(self, event, number):
        """(event time in ms, the JSON line)"""
        ms = self.time_of(number)
        rem = event % TOTAL
        if rem < PERSON:
            name = FIRST[self.below(len(FIRST))] + " " + LAST[self.below(len(LAST))]
            mail = self.word(7) + "@" + self.word(5) + ".com"
            card = " ".join(f"{self.below(10000):04d}" for _ in range(4))
            city = CITIES[self.below(len(CITIES))]
            state = STATES[self.below(len(STATES))]
            extra = self.extra(8 + len(name) + len(mail) + len(card) + len(city) + len(state),
                               SIZE_PERSON)
            return ms, (f'{{"event_type":0,"person":{{"id":{self.last_person(event) + FIRST_PERSON},'
                        f'"name":"{name}","emailAddress":"{mail}","creditCard":"{card}",'
                        f'"city":"{city}","state":"{state}","dateTime":"{self.text(ms)}",'
                        f'"extra":"{extra}"}},"auction":null,"bid":null}}\n')
        if rem < PERSON + AUCTION:
            if self.below(HOT_SELLER) > 0:
                seller = self.last_person(event) // HOT * HOT
            else:
                seller = self.any_person(event)
            category = FIRST_CATEGORY + self.below(CATEGORIES)
            initial = self.price()
            horizon = self.time_of(number + self.horizon_events) - ms
            expires = ms + 1 + self.below(max(horizon * 2, 1))
            name = self.word(20)
            desc = self.word(100)
            reserve = initial + self.price()
            extra = self.extra(48 + len(name) + len(desc), SIZE_AUCTION)
            return ms, (f'{{"event_type":1,"person":null,"auction":{{'
                        f'"id":{self.last_auction(event) + FIRST_AUCTION},"itemName":"{name}",'
                        f'"description":"{desc}","initialBid":{initial},"reserve":{reserve},'
                        f'"dateTime":"{self.text(ms)}","expires":"{self.text(expires)}",'
                        f'"seller":{seller + FIRST_PERSON},"category":{category},'
                        f'"extra":"{extra}"}},"bid":null}}\n')
        if self.below(HOT_AUCTION) > 0:
            auction = self.last_auction(event) // HOT * HOT
        else:
            auction = self.any_auction(event)
        if self.below(HOT_BIDDER) > 0:
            bidder = self.last_person(event) // HOT * HOT + 1
        else:
            bidder = self.any_person(event)
        price = self.price()
        if self.below(2) > 0:
            i = self.below(len(HOT_CHANNELS))
            channel, url = HOT_CHANNELS[i], self.hot_urls[i]
        else:
            channel, url = self.channels[self.below(CHANNELS)]
        extra = self.extra(32, SIZE_BID)
        return ms, (f'{{"event_type":2,"person":null,"auction":null,"bid":{{'
                    f'"auction":{auction + FIRST_AUCTION},"bidder":{bidder + FIRST_BIDDER},'
                    f'"price":{price},"channel":"{channel}","url":"{url}",'
                    f'"dateTime":"{self.text(ms)}","extra":"{extra}"}}}}\n')


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--events", type=int)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--first-event-id", type=int, default=0)
    p.add_argument("--gap-us", type=int, default=100)
    p.add_argument("--base", default="2015-07-15 00:00:00")
    p.add_argument("--disorder", type=float, default=0.0)
    p.add_argument("--disorder-ms", type=int, default=4000)
    p.add_argument("--late", type=float, default=0.0)
    p.add_argument("--late-ms", type=int, default=15000)
    p.add_argument("--side-input", type=int)
    a = p.parse_args()
    out = sys.stdout
    if a.side_input is not None:
        for i in range(a.side_input):
            out.write(f"{i},{i}\n")
        return
    if a.events is None:
        p.error("--events or --side-input")
    base = datetime.datetime.fromisoformat(a.base).replace(tzinfo=datetime.timezone.utc)
    g = Generator(a.seed, a.gap_us, int(base.timestamp()) * 1000)
    if a.disorder <= 0 and a.late <= 0:
        chunk = []
        for n in range(a.events):
            chunk.append(g.event(a.first_event_id + n, n)[1])
            if len(chunk) == 4096:
                out.write("".join(chunk))
                chunk.clear()
        out.write("".join(chunk))
        return
    # Delays come from a generator of their own: the events are the same with and
    # without disorder.
    d = random.Random(a.seed * 1000003 + 7)
    heap = []
    for n in range(a.events):
        ms, line = g.event(a.first_event_id + n, n)
        x = d.random()
        delay = 0
        if x < a.late:
            delay = a.disorder_ms + 1 + int(d.random() * (a.late_ms - a.disorder_ms))
        elif x < a.late + a.disorder:
            delay = int(d.random() * a.disorder_ms)
        heapq.heappush(heap, (ms + delay, n, line))
        while heap and heap[0][0] <= ms - a.late_ms - 1:
            out.write(heapq.heappop(heap)[2])
    while heap:
        out.write(heapq.heappop(heap)[2])


if __name__ == "__main__":
    main()
