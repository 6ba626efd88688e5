import { type TokenHistory, type TokenPrice, tokenKey } from '../../marketdata/sources/token.ts';
import { array, type JsonObject, numberOrNull, object, readRows } from '../../platform/json-fields.ts';

/** The prices of those tokens that were asked for; one without a price, a time or a confidence is left out. */
export function readTokenPrices(json: unknown, asked: readonly string[]): TokenPrice[] {
  return readRows(coinsIn(json, asked), ([token, item]) => {
    const coin = object(item, 'a coin');
    const [price, at, confidence] = [
      numberOrNull(coin, 'price'),
      timeIn(coin),
      numberOrNull(coin, 'confidence'),
    ];
    if (price === null || at === null || confidence === null) return [];
    return [{ token, price, at, confidence }];
  });
}

export function readTokenHistory(json: unknown, asked: readonly string[]): TokenHistory[] {
  return readRows(coinsIn(json, asked), ([token, item]) => {
    const coin = object(item, 'a coin');
    const confidence = numberOrNull(coin, 'confidence');
    if (confidence === null) return [];
    const prices = array(coin.prices, 'prices').flatMap((item) => {
      const point = object(item, 'a price');
      const [price, at] = [numberOrNull(point, 'price'), timeIn(point)];
      return price === null || at === null ? [] : [{ at, price }];
    });
    return [{ token, confidence, prices }];
  });
}

/** By the name that was asked for, whatever case the answer has it in; others are nobody's business. */
function coinsIn(json: unknown, asked: readonly string[]): (readonly [string, unknown])[] {
  const names = new Map(asked.map((token) => [tokenKey(token), token]));
  const coins = object(object(json, 'the answer').coins, 'coins');
  return Object.entries(coins).flatMap(([key, coin]) => {
    const token = names.get(tokenKey(key));
    return token === undefined ? [] : [[token, coin] as const];
  });
}

/** Milliseconds of the seconds in the answer. */
function timeIn(source: JsonObject): number | null {
  const seconds = numberOrNull(source, 'timestamp');
  return seconds === null ? null : seconds * 1000;
}
