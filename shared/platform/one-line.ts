/** A stranger's text without line breaks, control and direction characters, and without blanks around it. */
export function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim();
}
