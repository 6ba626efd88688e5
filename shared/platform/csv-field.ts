/**
 * Characters that begin a formula in spreadsheets (OWASP, CSV Injection): the full-width forms do in some languages, and blanks
 * before them are dropped by some programs.
 */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/**
 * A text as a field of comma-separated values (RFC 4180). One that spreadsheets would run as a formula gets an apostrophe in
 * front, so that they show it as text.
 */
export function csvField(text: string): string {
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
