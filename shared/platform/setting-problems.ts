/** What is wrong with the text of a setting, in words that follow its name; undefined: nothing. */

export function notHttpUrl(text: string): string | undefined {
  const isUrl = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  return isUrl ? undefined : 'must be an http:// or https:// URL';
}

/** One node, or two nodes of a chain. */
export function notNodeUrls(text: string): string | undefined {
  const urls = text.split(',');
  const areUrls = urls.length <= 2 && urls.every((url) => notHttpUrl(url.trim()) === undefined);
  return areUrls ? undefined : 'must be an http:// or https:// URL, or two of them separated by a comma';
}

export function oneOf(...allowed: string[]): (text: string) => string | undefined {
  return (text) => (allowed.includes(text) ? undefined : `must be one of ${allowed.join(', ')}`);
}

export function namesOf(...allowed: string[]): (text: string) => string | undefined {
  return (text) => {
    const names = text === '' ? [] : text.split(',');
    const isKnown = names.every((name) => allowed.includes(name)) && new Set(names).size === names.length;
    return isKnown ? undefined : `must be a comma list of ${allowed.join(', ')}, each once, or empty`;
  };
}

/** CloudWatch takes these characters, and no name that begins with `AWS/`. */
export function notNamespace(text: string): string | undefined {
  const isNamespace = /^(?!AWS\/)[\w./#:-]{1,255}$/.test(text);
  return isNamespace ? undefined : 'must be a CloudWatch namespace, such as marketdata';
}

export function integerBetween(minimum: number, maximum: number): (text: string) => string | undefined {
  return (text) =>
    /^\d{1,9}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum
      ? undefined
      : `must be an integer from ${minimum} to ${maximum}`;
}
