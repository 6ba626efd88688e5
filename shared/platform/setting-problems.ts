/** Checks of a setting's text: the problem, in words that follow the setting's name, or undefined. */

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

/** Minutes that divide an hour, so that every hour has the same schedule. */
export function partOfHour(minimum: number): (text: string) => string | undefined {
  const parts = Array.from({ length: 60 }, (_, index) => index + 1).filter((minutes) => 60 % minutes === 0);
  return oneOf(...parts.filter((minutes) => minutes >= minimum).map(String));
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
