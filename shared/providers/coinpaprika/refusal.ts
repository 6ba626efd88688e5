import { limitedBy } from '../../coordination/quota.ts';
import { ApiError } from '../../http/errors.ts';
import { type MarketDataProvider, PlanRefusal, type RefusedAnswer } from '../../marketdata/provider.ts';

const TITLE = 'CoinPaprika';
/** The provider measures a rate over the month and does not say when it is low enough again. */
const LIMIT_RETRY_S = 60;

/** The meaning of an answer other than 200 and 429; usually its body is `{"error":"…"}`. */
export function refusal(
  { status, body }: RefusedAnswer,
  { coinId, asked = 'this' }: Parameters<MarketDataProvider['refusal']>[1],
): ApiError {
  const text = errorText(body);
  // 402; older servers answer 400 with the same text.
  if (text !== undefined && /not allowed in this plan/i.test(text))
    return new PlanRefusal(`${TITLE} refused: the provider's plan does not include ${asked}`, {
      since: earliestAllowed(text),
    });
  // Any other 402, and the text "This plan has 20000 monthly requests limit, …" with whatever status.
  if (status === 402 || /requests limit/i.test(text ?? '')) return limitedBy(TITLE, LIMIT_RETRY_S);
  if (status === 404 && text !== undefined && coinId !== undefined) return ApiError.unknownCoin(coinId);
  return new ApiError(502, `${TITLE} answered ${status}${text ? `: ${text.slice(0, 200)}` : ''}`);
}

/** Undefined for plain text, HTML, an empty body and the like. */
function errorText(body: Buffer): string | undefined {
  try {
    const { error } = JSON.parse(body.toString('utf8')) as { error?: unknown };
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}

/** The time in "… data before 2026-09-17 03:59:32.385856048 +0000 UTC is not allowed in this plan". */
function earliestAllowed(text: string): number | undefined {
  const [, date, time] = /before (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)/.exec(text) ?? [];
  const since = Date.parse(`${date}T${time}Z`);
  return Number.isNaN(since) ? undefined : since;
}
