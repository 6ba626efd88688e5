const HOUR_SECONDS = 3600;

/** Between two points. */
export const STEP_SECONDS = 4 * HOUR_SECONDS;
/** The points before the price now: seven days of them. */
export const STEPS = 42;
/** The coins of an answer that names none, and how many it may have. */
export const DEFAULT_COINS = 20;
export const MAX_LISTED = 100;
