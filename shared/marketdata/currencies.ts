/** Which texts are the codes of currencies: a fixed list, so that a currency without a rate never becomes a coin of that symbol. */

/** ISO 4217's currencies in use, and the metals among its codes; without funds and units of account. */
const CODES = new Set(
  (
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP ' +
    'CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD ' +
    'JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN ' +
    'NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN ' +
    'SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XAG XAU XCD XCG XOF XPD XPF XPT ' +
    'YER ZAR ZMW ZWG'
  ).split(' '),
);

/** The codes of all currencies, in alphabetical order. */
export const currencyCodes: readonly string[] = [...CODES];

/** The code in capitals if the text, in any case, is the code of a currency. */
export function currencyOf(text: string): string | undefined {
  const code = text.length === 3 ? text.toUpperCase() : '';
  return CODES.has(code) ? code : undefined;
}
