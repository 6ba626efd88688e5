export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** How far the clocks of two of our instances may differ. AWS keeps them within milliseconds; a server at home may be corrected. */
export const MAX_INSTANCE_SKEW_MS = 2_000;
/** How close to a limit that a provider applies by its own clock (midnight, the end of its plan's history) we cannot rely on ours. */
export const PROVIDER_CLOCK_MARGIN_MS = 5_000;
/** How far a time that a source or another machine wrote into its data may be ahead of our clock; beyond that it is wrong. */
export const MAX_CLOCK_LEAD_MS = MINUTE_MS;

/**
 * The milliseconds since a moment that this clock, or another instance's, has shown. 0 if the moment lies ahead by no more than
 * clocks differ; Infinity if it lies further ahead: then a clock was set back and the real time is unknown, so what was kept is
 * read again and what was begun counts as abandoned. `maxLeadMs` is MAX_CLOCK_LEAD_MS for a source's time.
 */
export function elapsedMs(since: number, now = Date.now(), maxLeadMs = MAX_INSTANCE_SKEW_MS): number {
  return since > now + maxLeadMs ? Number.POSITIVE_INFINITY : Math.max(0, now - since);
}

/** A time in the provider's form: whole seconds, `Z`. */
export function isoSeconds(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
