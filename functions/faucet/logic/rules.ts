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
/** Transfers that may be on their way at once. */
export const MAX_UNMINED = 100;
/** Transfers in the ledger's row, those included that are not mined deep enough yet: 1 to 2 KB each, of 400. */
export const MAX_KEPT = 200;
/**
 * Signed versions of one transfer, of which the ledger's row keeps the hashes. Each follows a price that has passed the
 * one before and is signed for twice that price, so ten lead from 1 gwei to any ceiling.
 */
export const MAX_VERSIONS = 16;
