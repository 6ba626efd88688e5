/** The environment variables of the process that the programs read. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** What an output is shown in; a pipe has none of the fields. */
export interface Window {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** The part of an output stream that the programs use. */
export interface Output extends NodeJS.WritableStream, Window {}

/** The process as a program sees it; tests hand in another. */
export interface Terminal {
  readonly env: Variables;
  readonly stdin: NodeJS.ReadableStream & {
    readonly isTTY?: boolean;
    readonly isRaw?: boolean;
    setRawMode?(isRaw: boolean): unknown;
  };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborted by Ctrl-C, unless the keys are read one by one: then it is a key. */
  readonly interrupt?: AbortSignal;
  /** Makes Ctrl-C an end like any other: the program ends with its status, not by the signal. */
  readonly endWell?: () => void;
  /** True for the lines of the prompt, which reads the keys itself: no screen is opened, and nothing is asked. */
  readonly isPrompt?: boolean;
  /** The folder of the repository that the program runs from; an installed package has none. */
  readonly repository?: string | undefined;
}

const PIPE_WIDTH = 80;
const MIN_WIDTH = 20;
const MAX_WIDTH = 140;
/** A chart takes all of a window. */
const MAX_CHART_WIDTH = 400;

/** The width of a line in cells; a pipe counts as 80. */
export function widthOf({ columns = PIPE_WIDTH }: Window): number {
  return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, columns || PIPE_WIDTH));
}

export function chartWidthOf({ columns = PIPE_WIDTH }: Window): number {
  return Math.min(MAX_CHART_WIDTH, Math.max(MIN_WIDTH, columns || PIPE_WIDTH));
}

/** Where lines of text are broken; never in a pipe, whose reader takes a line as a whole. */
export function wrapWidthOf(output: Window): number {
  return output.columns ? widthOf(output) : Number.POSITIVE_INFINITY;
}

/** Whether a stream is a window that things can be drawn in. */
export function canDraw({ isTTY }: Window, { TERM }: Variables): boolean {
  return isTTY === true && TERM !== 'dumb';
}

/** Bits of a colour: none, the terminal's own sixteen colours, or any. */
export type ColourDepth = 0 | 4 | 24;

/** no-color.org: any value of NO_COLOR turns colour off. FORCE_COLOR turns it on even without a terminal. */
export function hasColour({ isTTY }: Window, variables: Variables): ColourDepth {
  const { NO_COLOR, FORCE_COLOR, TERM, COLORTERM } = variables;
  if (NO_COLOR) return 0;
  const isOn = FORCE_COLOR ? FORCE_COLOR !== '0' : isTTY === true && TERM !== 'dumb';
  if (!isOn) return 0;
  return FORCE_COLOR === '3' || /^(truecolor|24bit)$/i.test(COLORTERM ?? '') ? 24 : 4;
}
