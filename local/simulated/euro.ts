/** One euro in other currencies on any day, from the walk of a seed. */
import { DAY_MS, MINUTE_MS } from './market.ts';
import { createWalk, EPOCH_MS, STEP_MS, seedOf, uniform } from './walk.ts';

/** The reference rates of a day are published between 14:15 and 15:00 UTC. */
const EARLIEST_MINUTE = 14 * 60 + 15;
const MINUTES = 45;
/** How far back rates go. */
export const PAST_MS = 5 * 365 * DAY_MS;
/** Deviation of a currency's rate in a year. */
const DEVIATION = 0.06;

/** The currencies with a reference rate, in the autumn of 2025, in the order and with the digits of the real file. */
export const referenceFigures =
  'USD 1.1520 JPY 180.50 CZK 24.170 DKK 7.4690 GBP 0.88050 HUF 381.90 PLN 4.2350 RON 5.0870 SEK 10.9900 CHF 0.9280 ' +
  'ISK 146.90 NOK 11.7300 TRY 48.8500 AUD 1.7800 BRL 6.2100 CAD 1.6230 CNY 8.1900 HKD 8.9680 IDR 19250.00 ILS 3.7700 ' +
  'INR 102.9000 KRW 1695.00 MXN 21.2600 MYR 4.7800 NZD 2.0560 PHP 67.800 SGD 1.5050 THB 37.350 ZAR 19.9500';

/** Other currencies and metals, and two that are none of ISO 4217's in use: the offshore yuan and the special drawing right. */
export const otherFigures =
  'AED 4.231 AFN 76.5 ALL 96.8 AMD 440.5 AOA 1056 ARS 1670 AWG 2.074 AZN 1.958 BAM 1.95583 BBD 2.304 BDT 140.7 BHD 0.4332 ' +
  'BIF 3395 BMD 1.152 BND 1.505 BOB 7.96 BSD 1.152 BTN 102.9 BWP 16.4 BYN 3.93 BZD 2.317 CDF 2580 CLP 1085 CNH 8.188 COP 4420 ' +
  'CRC 580 CUP 27.65 CVE 110.265 DJF 204.7 DOP 73.4 DZD 150.3 EGP 54.8 ERN 17.28 ETB 176 FJD 2.63 FKP 0.8805 GEL 3.12 GHS 12.8 ' +
  'GIP 0.8805 GMD 84.5 GNF 10010 GTQ 8.83 GYD 241 HNL 30.3 HTG 150.8 IQD 1509 IRR 48500 JMD 184.6 JOD 0.8168 KES 148.9 ' +
  'KGS 100.7 KHR 4625 KMF 491.96775 KWD 0.3537 KYD 0.96 KZT 606 LAK 24990 LBP 103100 LKR 354 LRD 209 LSL 19.95 LYD 6.29 ' +
  'MAD 10.71 MDL 19.65 MGA 5180 MKD 61.6 MMK 2419 MNT 4120 MOP 9.237 MRU 45.9 MUR 52.9 MVR 17.75 MWK 1998 MZN 73.6 NAD 19.95 ' +
  'NGN 1670 NIO 42.4 NPR 164.6 OMR 0.4429 PAB 1.152 PEN 3.88 PGK 4.88 PKR 324 PYG 8110 QAR 4.193 RSD 117.2 RUB 93 RWF 1675 ' +
  'SAR 4.32 SBD 9.48 SCR 16.4 SDG 691 SHP 0.8805 SLE 26.7 SOS 658 SRD 44.3 SSP 5400 STN 24.5 SVC 10.08 SYP 12740 SZL 19.95 ' +
  'TJS 10.65 TMT 4.04 TND 3.39 TOP 2.75 TTD 7.81 TWD 36 TZS 2820 UAH 48.6 UGX 4150 UYU 45.8 UZS 13780 VES 275 VND 30300 ' +
  'VUV 141 WST 3.22 XAF 655.957 XAG 0.0215 XAU 0.000288 XCD 3.1104 XCG 2.062 XDR 0.848 XOF 655.957 XPD 0.00081 XPF 119.3317 ' +
  'XPT 0.00074 YER 274.7 ZMW 26.1 ZWG 30.4';

/** Currencies with a fixed rate in another one, which follow its walk. */
const pegs: Readonly<Record<string, string>> = {
  EUR: 'BAM CVE KMF STN XAF XOF XPF',
  GBP: 'FKP GIP SHP',
  INR: 'BTN NPR',
  SGD: 'BND',
  USD: 'AED AWG BBD BHD BMD BSD BZD CUP DJF ERN JOD KYD LBP OMR PAB QAR SAR SVC TMT XCD XCG',
  ZAR: 'LSL NAD SZL',
};

export interface SimulatedCurrency {
  readonly code: string;
  /** The decimals of its rate. */
  readonly digits: number;
  /** One euro at the beginning of a day, in milliseconds. */
  rateOn(dayMs: number): number;
}

export function currenciesIn(figures: string, seed: number): SimulatedCurrency[] {
  return [...figures.matchAll(/([A-Z]{3}) (\d+(?:\.(\d+))?)/g)].map(([, code = '', rate, digits = '']) => {
    const leader = Object.keys(pegs).find((one) => pegs[one]?.includes(code)) ?? code;
    const walk = createWalk(seedOf(`${seed}/${leader}`));
    const deviation = leader === 'EUR' ? 0 : DEVIATION;
    const rateOn = (dayMs: number) =>
      Number(rate) * Math.exp(deviation * walk(Math.round((dayMs - EPOCH_MS) / STEP_MS)));
    return { code, digits: digits.length, rateOn };
  });
}

/** The beginning, in milliseconds, of the last working day, Monday to Friday, with published reference rates. */
export function lastDay(nowMs: number, seed: number): number {
  let dayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const publishedAt = () =>
    dayMs + (EARLIEST_MINUTE + Math.floor(MINUTES * uniform(seed, dayMs / DAY_MS))) * MINUTE_MS;
  while ([0, 6].includes(new Date(dayMs).getUTCDay()) || nowMs < publishedAt()) dayMs -= DAY_MS;
  return dayMs;
}

/** The text of a day, such as `2026-11-20`. */
export function dayText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
