/** The refusals that all exchanges have in common. */
import { ApiError } from '../http/errors.ts';
import type { RefusedAnswer } from '../marketdata/provider.ts';

/** The error that an answer means if the exchange has no meaning of its own for it; `text` is what it says. */
export function exchangeRefusal(
  title: string,
  { status }: RefusedAnswer,
  text: string | undefined,
): ApiError {
  if (status === 451) return new ApiError(502, `${title} refuses the region that it is asked from (451)`);
  if (status === 403) return new ApiError(502, `${title}’s firewall refuses the address that asks (403)`);
  return new ApiError(502, `${title} answered ${status}${text ? `: ${text.slice(0, 200)}` : ''}`);
}

export function unknownMarket(title: string, market: string): ApiError {
  return new ApiError(404, `${title} knows no market ${market}`);
}

/** The text of an error's field; undefined for HTML, an empty body and the like. */
export function textOf(body: Buffer, field: string): string | undefined {
  try {
    const text = (JSON.parse(body.toString('utf8')) as Record<string, unknown> | null)?.[field];
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}
