/** The promise's outcome, or that of `late` when `ms` run out first; undefined by default. */
export function withTimeout<T>(ms: number, promise: Promise<T>): Promise<T | undefined>;
export function withTimeout<T, L>(ms: number, promise: Promise<T>, late: () => L): Promise<T | L>;
export async function withTimeout(
  ms: number,
  promise: Promise<unknown>,
  late = (): unknown => undefined,
): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms));
  });
  try {
    return await Promise.race([promise, timeUp.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
