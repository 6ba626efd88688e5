/** An address gets one grant from a network in this time. */
export const GRANT_EVERY_MS = 24 * 60 * 60 * 1000;
/** A client (an address of the internet, see the rate limit) gets so many from a network in a day (UTC). */
export const CLIENT_GRANTS_A_DAY = 5;
/** For how long a request can be asked about. */
export const KEEP_REQUESTS_MS = 30 * 24 * 60 * 60 * 1000;
/** With money for fewer grants than this the faucet is running low. */
export const LOW_GRANTS = 50n;
/** A transfer to a contract may cost more than one to a wallet (21,000), but not anything. */
export const MAX_GAS = 100_000n;
/** Transfers that may be on their way at once; each is kept in the ledger's row until it is mined. */
export const MAX_UNMINED = 100;
