/** From the strongest to the weakest; what each means is told in docs/architecture.md, "Provenance". */
export const qualities = ['exact', 'sampled', 'derived'] as const;
export type Quality = (typeof qualities)[number];

/** Nothing that is made of several is better than the weakest of them. */
export function weakest(found: Iterable<Quality>): Quality {
  let last = 0;
  for (const quality of found) last = Math.max(last, qualities.indexOf(quality));
  return qualities[last] ?? 'derived';
}
