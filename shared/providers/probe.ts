import type { coinProvider } from './index.ts';

const PROBE_TIMEOUT_MS = 2_000;
export const PROBE_SECONDS = PROBE_TIMEOUT_MS / 1000;

/** Whether a provider answers at this address, within two seconds. */
export async function answers(
  url: string,
  { probePath }: Pick<typeof coinProvider, 'probePath'>,
): Promise<boolean> {
  try {
    const response = await fetch(url + probePath, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
