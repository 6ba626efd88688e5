import { environment, readSecret } from '../../../../shared/platform/environment.ts';
import { messageOf } from '../../../../shared/platform/message-of.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { reportFault, scheduled } from '../../../../shared/platform/scheduled.ts';
import { createTransport, type HttpAnswer } from '../../../../shared/platform/transport.ts';
import { version } from '../../../../shared/platform/version.ts';
import { type Check, checks, faultOf } from './checks.ts';

interface ProbeSummary {
  /** A line for each faulty response. */
  readonly faults: readonly string[];
}

const TIME_MS = 10_000;

/**
 * Makes users' requests, at their address and with their key, and counts good and bad responses. It does not fail for a bad
 * one: the alarm reads the count, and a retry would only hide the fault.
 */
export const handler = scheduled(async (): Promise<ProbeSummary> => {
  const faults = (await Promise.all(checks.map(probe))).filter((fault) => fault !== undefined);
  count('ProbePassed', checks.length - faults.length);
  count('ProbeFailed', faults.length); // also counts zero: the alarm treats missing data as a failure
  for (const fault of faults) reportFault(fault);
  return { faults };
});

async function probe(check: Check): Promise<string | undefined> {
  const fault = await request(check).then(
    (answer) => faultOf(answer, check),
    (error: unknown) => `gave no answer: ${messageOf(error)}`,
  );
  return fault && `${check.path} ${fault}`;
}

/** Uses its own connection: one that broke while the container was frozen would be the probe's fault. */
async function request({ path }: Check): Promise<HttpAnswer> {
  const { PAGE_URL } = environment();
  if (!PAGE_URL) throw new Error('Environment variable PAGE_URL is not set');
  const headers = {
    'x-api-key': readSecret('CLIENT_API_KEY'),
    'user-agent': `marketdata-probe/${version}`,
    // The distribution caches a response for each origin, so a new one makes it call the API itself.
    origin: `https://probe-${Date.now()}.invalid`,
  };
  return createTransport({ baseUrl: PAGE_URL, headers }).get(path, TIME_MS);
}
