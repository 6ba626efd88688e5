/** The browser needs the address until it has begun to save. */
const KEPT_MS = 60_000;

/** Saves a file under a name. */
export function download(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** `BTC-30d-2026-01-31.png`: letters and digits alone. */
export function fileNameOf(parts: readonly string[], ending: string): string {
  const words = parts.map((part) => part.replace(/[^A-Za-z0-9-]+/g, '')).filter((part) => part !== '');
  return `${words.join('-') || 'chart'}.${ending}`;
}
