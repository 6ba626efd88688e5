import { environment, readSecret } from '../../../../shared/platform/environment.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { reportFault, scheduled } from '../../../../shared/platform/scheduled.ts';
import { createTransport, type HttpAnswer } from '../../../../shared/platform/transport.ts';
import { version } from '../../../../shared/platform/version.ts';
import { type Check, checks, faultOf } from './checks.ts';

interface ProbeSummary {
  /** One line for each answer that is not a good one. */
  readonly faults: readonly string[];
}

const TIME_MS = 10_000;

/**
 * Requests what users request, at their address and with their key, and counts the good answers and the others.
 * It never fails for a bad answer: the count is what an alarm looks at, and another try would only hide it.
 */
export const handler = scheduled(async (): Promise<ProbeSummary> => {
  const faults = (await Promise.all(checks.map(probe))).filter((fault) => fault !== undefined);
  count('ProbePassed', checks.length - faults.length);
  count('ProbeFailed', faults.length); // a zero as well: an alarm takes silence for a failure
  for (const fault of faults) reportFault(fault);
  return { faults };
});

async function probe(check: Check): Promise<string | undefined> {
  const fault = await request(check).then(
    (answer) => faultOf(answer, check),
    (error: unknown) => `gave no answer: ${error instanceof Error ? error.message : error}`,
  );
  return fault && `${check.path} ${fault}`;
}

/** On a connection of its own: one that was kept while the container was frozen would be a fault of the probe. */
async function request({ path }: Check): Promise<HttpAnswer> {
  const { PAGE_URL } = environment();
  if (!PAGE_URL) throw new Error('Environment variable PAGE_URL is not set');
  const headers = {
    'x-api-key': readSecret('CLIENT_API_KEY'),
    'user-agent': `marketdata-probe/${version}`,
    // The distribution keeps an answer for one origin: with a new one, it has to ask the API itself.
    origin: `https://probe-${Date.now()}.invalid`,
  };
  return createTransport({ baseUrl: PAGE_URL, headers }).get(path, TIME_MS);
}
