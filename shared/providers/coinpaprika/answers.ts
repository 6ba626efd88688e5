import { ApiError } from '../../http/errors.ts';
import type { HttpAnswer } from '../../platform/transport.ts';

/** The plan that the key pays for does not include what was asked; `since` is the earliest moment that it does. */
export class PlanRefusal extends ApiError {
  readonly since: number | undefined;
  override readonly isLasting = true;

  constructor(since: number | undefined) {
    super(502, "CoinPaprika refused: the provider's plan does not include this history");
    this.since = since;
  }
}

/** Reads a 200. Throws a 502 where it is not the promised JSON of the promised shape. */
export function jsonOf<T>({ headers, body }: HttpAnswer, read: (json: unknown) => T): T {
  const type = headers['content-type'] ?? '';
  if (!/[/+]json\b/i.test(type))
    throw unusable(body.length === 0 ? 'an empty body' : `${shortType(type)} instead of JSON`);
  const json = parse(body.toString('utf8'));
  try {
    return read(json);
  } catch (error) {
    throw unusable(error instanceof Error ? error.message : 'an unknown shape');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unusable(text === '' ? 'an empty body' : 'broken JSON');
  }
}

function unusable(what: string): ApiError {
  return new ApiError(502, `CoinPaprika gave an unusable answer: ${what}`);
}

/** What an answer other than 200 and 429 means to the caller. */
export function refusalOf(answer: HttpAnswer, coinId: string | undefined): ApiError {
  const { status } = answer;
  const text = errorText(answer);
  // 402; older servers answer 400 with the same text.
  if (text !== undefined && /not allowed in this plan/i.test(text))
    return new PlanRefusal(earliestAllowed(text));
  if (status === 402) return new PlanRefusal(undefined);
  if (status === 404 && text !== undefined && coinId !== undefined) return ApiError.unknownCoin(coinId);
  return new ApiError(502, `CoinPaprika answered ${status}${text ? `: ${text.slice(0, 200)}` : ''}`);
}

/** `error` of the provider's usual error body; undefined for plain text, HTML, an empty body and the like. */
function errorText({ body }: HttpAnswer): string | undefined {
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

function shortType(type: string): string {
  return type.split(';')[0]?.trim() || 'no content type';
}
