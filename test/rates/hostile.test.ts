import { describe, expect, it } from 'vitest';
import { ratesText } from '../../shared/marketdata/rates.ts';
import { HOUR_MS } from '../../shared/platform/time.ts';
import { cubes, documentOf, figures } from './document.ts';
import { FRIDAY, RATES, useRatesWorld } from './world.ts';

const DAY = '2026-11-20';
const YESTERDAY = '2026-11-19';
const world = useRatesWorld();
const withFigures = (text: string) => documentOf(DAY, { ...figures, USD: text });
const times = (factor: number) =>
  Object.fromEntries(
    Object.entries(figures).map(([code, text]) => [code, String(Number((Number(text) * factor).toFixed(6)))]),
  );
const proper = documentOf(DAY);
const lol = '<!DOCTYPE x [<!ENTITY a "1.1"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]>';

/** The error and the counts of a run after yesterday's rates were published. */
async function refusalOf(document: string, type?: string): Promise<[string, Record<string, unknown>]> {
  const { provide, runAt, published, metrics, s3 } = world();
  s3.objects.set(RATES, Buffer.from(ratesText({ day: YESTERDAY, source: 'ecb', rates: figures })));
  provide(document, type);
  const refused = await runAt(FRIDAY).then(
    () => 'was published',
    (error: Error) => error.message,
  );
  expect(published()).toMatchObject({ day: YESTERDAY, rates: figures });
  return [refused, await metrics()];
}

describe('an unusable response is refused with the source’s name, and nothing is published', () => {
  it.each([
    ['HTML', '<html>', 'text/html', 'HTML instead of XML'],
    ['half of it', proper.slice(0, 900), 'text/xml', 'broken XML'],
    ['entities in entities', proper.replace('?>', `?>${lol}`), 'text/xml', 'broken XML'],
    [
      'several days',
      proper.replace('</Cube>\n\t</Cube>', `</Cube><Cube time='2026-11-18'>${cubes(figures)}</Cube></Cube>`),
      'text/xml',
      'the list of days has 2 entries in place of one',
    ],
    ['no rate', proper.replace("rate='1.1520'", ''), 'text/xml', 'rate is missing'],
    [
      'a hundred thousand levels',
      `${'<Cube>'.repeat(1e5)}${'</Cube>'.repeat(1e5)}`,
      'text/xml',
      'Cube in place of Envelope',
    ],
    ['HTML under another name', '<html><body><p>Sorry<br></body></html>', 'text/xml', 'broken XML'],
    [
      'an envelope without days',
      proper.replace(/<Cube>[\s\S]*<\/Cube>/, '<Cube/>'),
      'text/xml',
      'the list of days is empty',
    ],
  ])('%s', async (_what, document, type, message) => {
    const [text] = await refusalOf(document, type);
    expect(text).toContain('The European Central Bank gave an un');
    expect(text).toContain(message);
  });
});

describe('an implausible response is refused with the source’s name, and nothing is published', () => {
  it.each<[what: string, document: string, message: string, reason: string]>([
    ['a rate of nothing', withFigures('0'), 'a rate of "0" for USD', 'Price'],
    ['an exponent', withFigures('1e5'), 'a rate of "1e5" for USD', 'Price'],
    ['a hundred digits', withFigures('1'.repeat(100)), `a rate of "${'1'.repeat(40)}" for USD`, 'Price'],
    [
      'a currency twice',
      documentOf(DAY, `${cubes(figures)}${cubes({ USD: '1' })}`),
      '"USD" twice',
      'Identity',
    ],
    ['the euro', documentOf(DAY, { ...figures, EUR: '2' }), 'a currency "EUR"', 'Text'],
    [
      'no dollar',
      documentOf(DAY, Object.fromEntries(Object.entries(figures).slice(1))),
      'no rate for USD',
      'Drop',
    ],
    [
      'a few',
      documentOf(DAY, Object.fromEntries(Object.entries(figures).slice(0, 19))),
      'no more than 19 currencies',
      'Drop',
    ],
    ['tomorrow', documentOf('2026-11-21'), 'a day in the future: 2026-11-21', 'Time'],
    ['a day that is none', documentOf('2026-02-30'), 'a day "2026-02-30"', 'Time'],
    ['the day before yesterday', documentOf('2026-11-18'), 'rates of 2026-11-18 are older', 'Older'],
    ['all rates far away', documentOf(DAY, times(1.15)), '29 rates, such as 1.3248 for USD, where', 'Jump'],
  ])('%s', async (_what, document, message, reason) => {
    const [text, counted] = await refusalOf(document);
    expect(text).toContain(message);
    expect(text).toMatch(/gave an implausible answer|Not published/);
    expect(counted).toMatchObject({ [`Implausible${reason}`]: 1 });
  });
});

describe('a day at a weekend', () => {
  it('is refused, and does not keep out correct files of the days around it', async () => {
    const { provide, runAt, published } = world();
    provide(documentOf(DAY));
    await runAt(FRIDAY);
    provide(documentOf('2026-11-21'));
    await expect(runAt(FRIDAY + 24 * HOUR_MS)).rejects.toThrow('a day at a weekend: 2026-11-21');
    provide(documentOf(DAY));
    expect(await runAt(FRIDAY + 30 * HOUR_MS)).toMatchObject({ day: DAY, isNew: false });
    provide(documentOf('2026-11-23'));
    expect(await runAt(FRIDAY + 72 * HOUR_MS)).toMatchObject({ day: '2026-11-23', isNew: true });
    expect(published()).toMatchObject({ rates: figures });
  });
});
