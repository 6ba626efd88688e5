import { Implausible } from '../../marketdata/gate/implausible.ts';
import type { DayRates } from '../../marketdata/rates/euro-rates.ts';
import { array, type JsonObject, object, text } from '../../platform/json-fields.ts';

/** The one day in `<Envelope><Cube><Cube time><Cube currency rate/>…`. Throws Implausible for a currency that is there twice. */
export function readDayRates(document: unknown): DayRates {
  const envelope = object(object(document, 'the answer').Envelope, 'Envelope');
  const day = only(only(envelope, 'the envelope'), 'the list of days');
  const rates = new Map<string, string>();
  for (const item of array(day.Cube, 'the list of rates')) {
    const rate = object(item, 'a rate');
    const code = text(rate, 'currency');
    if (rates.has(code)) throw new Implausible('Identity', `${JSON.stringify(code.slice(0, 20))} twice`);
    rates.set(code, text(rate, 'rate'));
  }
  return { day: text(day, 'time'), rates: Object.fromEntries(rates) };
}

/** The `Cube` in an element that has one. */
function only({ Cube: cubes }: JsonObject, name: string): JsonObject {
  const [cube, ...others] = array(cubes, name);
  if (others.length > 0) throw new Error(`${name} has ${others.length + 1} entries in place of one`);
  return object(cube, `what is in ${name}`);
}
