/** The environment variables that the programs read. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The terminal of an output; a pipe has none of these fields. */
export interface Window {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** The part of an output stream that the programs use. */
export interface Output extends NodeJS.WritableStream, Window {}

/** The process as a program sees it; tests provide their own. */
export interface Terminal {
  readonly env: Variables;
  readonly stdin: NodeJS.ReadableStream & {
    readonly isTTY?: boolean;
    readonly isRaw?: boolean;
    setRawMode?(isRaw: boolean): unknown;
  };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborted by Ctrl-C, except in raw mode, where Ctrl-C is a key. */
  readonly interrupt?: AbortSignal;
  /** Makes Ctrl-C a normal end: the program exits with its status, not by the signal. */
  readonly endWell?: () => void;
  /** True for lines of the prompt, which reads the keys itself: no screen opens, and no question is asked. */
  readonly isPrompt?: boolean;
  /** The repository folder that the program runs from; undefined in an installed package. */
  readonly repository?: string | undefined;
}

const PIPE_WIDTH = 80;
const MIN_WIDTH = 20;
const MAX_WIDTH = 140;
/** A chart fills the window. */
const MAX_CHART_WIDTH = 400;

/** The width of a line in cells; a pipe counts as 80. */
export function widthOf({ columns = PIPE_WIDTH }: Window): number {
  return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, columns || PIPE_WIDTH));
}

export function chartWidthOf({ columns = PIPE_WIDTH }: Window): number {
  return Math.min(MAX_CHART_WIDTH, Math.max(MIN_WIDTH, columns || PIPE_WIDTH));
}

/** Where lines of text are wrapped; never in a pipe, whose reader expects whole lines. */
export function wrapWidthOf(output: Window): number {
  return output.columns ? widthOf(output) : Number.POSITIVE_INFINITY;
}

/** Whether a stream is a window that can be drawn in. */
export function canDraw({ isTTY }: Window, { TERM }: Variables): boolean {
  return isTTY === true && TERM !== 'dumb';
}

/** Colour depth in bits: none, the terminal's own sixteen colours, or true colour. */
export type ColourDepth = 0 | 4 | 24;

/** no-color.org: any value of NO_COLOR disables colour. FORCE_COLOR enables it even without a terminal. */
export function hasColour({ isTTY }: Window, variables: Variables): ColourDepth {
  const { NO_COLOR, FORCE_COLOR, TERM, COLORTERM } = variables;
  if (NO_COLOR) return 0;
  const isOn = FORCE_COLOR ? FORCE_COLOR !== '0' : isTTY === true && TERM !== 'dumb';
  if (!isOn) return 0;
  return FORCE_COLOR === '3' || /^(truecolor|24bit)$/i.test(COLORTERM ?? '') ? 24 : 4;
}
