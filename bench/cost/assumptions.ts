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
  /** Snapshots that a container fetches in its life, and one look for a newer registry. */
  readsPerContainer: 6,
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
};
