/** A month's traffic. */
export interface Level {
  readonly requests: number;
  /** Of a thousand requests, those that begin a container. */
  readonly coldStartsPerThousand: number;
}

const levels: readonly Level[] = [
  { requests: 100_000, coldStartsPerThousand: 50 },
  { requests: 1_000_000, coldStartsPerThousand: 10 },
  { requests: 100_000_000, coldStartsPerThousand: 0.5 },
];

/** Numbers that neither the template nor the bench knows. The document states every one of them. */
export const assumptions = {
  /** The busier, the rarer a cold start. */
  levels,
  /** Of a thousand requests to the API; the rest is answered from memory. The quota is the upper end. */
  upstreamPerThousand: 50,
  upstreamPerMonth: 20_000,
  /** Until the provider has answered, in milliseconds; billed, because the function waits for it. */
  upstreamMs: 250,
  /**
   * Snapshots that a container fetches in its life, and one look for a newer registry; ten more for the history: the
   * day's table of hours, and days, a month and today's hours of three coins.
   */
  readsPerContainer: 16,
  /** Of a run of a job, which has 1 GB of memory. */
  jobSeconds: 3,
  /** Of a run of the probe: 2 s with 128 MB. */
  probeGbSeconds: 0.25,
  /** A vCPU belongs to a function of this memory; smaller ones get a part of it. */
  memoryOfOneCpuMb: 1_769,
  answerBytes: 2_000,
  /** Of a request in all logs: metrics 380, start, end and report of Lambda 420, access log 300. */
  logBytes: 1_100,
  /** Of a thousand requests to the edge, answered there without the API. */
  edgeHitsPerThousand: 300,
  history: {
    /** USD a month that it may cost, on top of what was there before, for the coins of the free plan. */
    target: 2,
    /** Coins in the snapshot. */
    plans: [
      { name: 'free plan', coins: 2_000 },
      { name: 'paid plan', coins: 12_900 },
    ],
    samplesADay: 144,
    /** Of the roll-up, and as many of the backfill. */
    runsADay: 48,
    /** Of a run of each, with nothing to do: a list each, and the backfill's note. */
    writesOfRuns: 3,
    /** Likewise: a note each, the backfill's once more after it is written, the hours of today, the newest samples. */
    readsOfRuns: 5,
    memoryMb: { rollUp: 1_024, backfill: 512 },
    /** Of a run of either that has nothing to do. */
    idleSeconds: 0.5,
    /** Of the roll-up, for a thousand coins: one hour, and one day with two gets and two puts a coin. */
    hourSecondsPerThousand: 0.5,
    daySecondsPerThousand: 10,
    /** Requests of the backfill to the provider, of which each brings a year of a coin. */
    backfillADay: 500,
    backfillSeconds: 1,
    /** Active coins, in the snapshot or not: all get their past. */
    backfilledCoins: 12_900,
    /** Looked for at each run of the backfill. */
    wishRows: 256,
    /** The budget's counter and the coin's wish. */
    tableWritesPerRequest: 4,
    /** One on the age of the newest hour, two on dead-letter queues. */
    alarms: 3,
  },
  sources: {
    /** Coins that exchanges trade, and their markets in USD and stable coins. */
    traded: 600,
    markets: 2_500,
    /** Active coins beyond the provider's list whose contracts have a price that counts. */
    priced: 9_300,
    /** Of a run. */
    seconds: { markets: 30, candles: 150, tokens: 60, contracts: 60 },
    objects: {
      /** The map and the quotes; what was there, and the snapshot. */
      markets: { puts: 2, gets: 3 },
      /** The hours of today and the note; map, snapshot, note, hours of two days, days of two stable coins. */
      candles: { puts: 2, gets: 8 },
      /** Tail, samples, references; what was there, the contracts, eight samples, a hundred coins' days. */
      tokens: { puts: 3, gets: 113 },
      contracts: { puts: 1, gets: 1 },
      /** Days and hours of a coin; looked at before they are asked for, and again as they are added to. */
      ofDay: { puts: 2, gets: 5 },
    },
    /** In words: deployed bundles in fresh processes with 190 MB for V8's old space, S3 and sources on loopback. */
    measured: [
      'the first run of the candles with 600 new coins: 250 s, 17 s of processor time, 217 MB at most',
      'a run of the tokens with 9,300 coins, and the past of 1,000: 100 s, 6 s of processor time, 240 MB at most',
    ],
  },
};
