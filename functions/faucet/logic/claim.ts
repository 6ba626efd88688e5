import { ApiError } from '../../../shared/http/errors.ts';
import { count } from '../metrics.ts';
import { type FaucetNetwork, faucets } from '../networks.ts';
import type { ClaimedGrant, Grants } from './grants.ts';
import { CLIENT_GRANTS_A_DAY } from './rules.ts';

/**
 * Claims the grant for the address, and counts it for the client and for the day. Throws 429 or 503 with the time to
 * wait, and then nothing is claimed.
 */
export async function claim(grants: Grants, network: FaucetNetwork, grant: ClaimedGrant): Promise<void> {
  const { address, claimedAt } = grant;
  const ofAddress = await grants.claim(grant);
  if (!ofAddress.granted) {
    throw refusal(429, `${address} has had its grant on ${network}`, ofAddress.retryAt, claimedAt);
  }
  const ofClient = await grants.countClient(grant);
  if (!ofClient.granted) {
    await grants.release(grant);
    const reason = `You have had your ${CLIENT_GRANTS_A_DAY} grants of today on ${network}`;
    throw refusal(429, reason, ofClient.retryAt, claimedAt);
  }
  const ofDay = await grants.countDay(grant);
  if (!ofDay.granted) {
    await grants.uncountClient(grant);
    await grants.release(grant);
    count('FaucetDaySpent');
    const reason = `The ${network} faucet has given the ${faucets[network].perDay} wei of today`;
    throw refusal(503, reason, ofDay.retryAt, claimedAt);
  }
}

function refusal(status: 429 | 503, text: string, retryAt: number, now: number): ApiError {
  const seconds = Math.max(1, Math.ceil((retryAt - now) / 1000));
  return new ApiError(status, `${text}; the next one is possible in ${seconds} s`, {
    headers: { 'retry-after': String(seconds) },
  });
}
