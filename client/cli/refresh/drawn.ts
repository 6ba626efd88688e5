import { span } from '../../commands/format/text.ts';
import type { FailureResult } from '../../commands/result.ts';
import { terminalText } from '../ansi.ts';
import { keysOf } from '../keys.ts';
import type { Settings } from '../settings.ts';
import { hasColour, type Terminal, wrapWidthOf } from '../terminal.ts';
import { captured, type RefreshOutput, type Shown } from './captured.ts';
import { inPlace } from './in-place.ts';

/** Answers drawn over each other, with a line below that says when the next one comes; it is gone at the end. */
export function drawnOutput(settings: Settings, terminal: Terminal): RefreshOutput {
  const { stdout } = terminal;
  const screen = inPlace(stdout);
  let result: Shown | undefined;
  let failure: FailureResult | undefined;
  let note = '';

  function text(): string {
    const told = failure ? captured(failure, settings, terminal) : undefined;
    const below = (told ? told.stdout + told.stderr : '') + (note && noteText(note, terminal));
    const reserved = below.split('\n').length - 1;
    const answer = result ? captured(result, settings, terminal, reserved) : undefined;
    return (answer ? answer.stdout + answer.stderr : '') + below;
  }
  const resized = () => screen.drawAnew(text());
  stdout.on('resize', resized);
  const releaseKeys = quiet(terminal);
  return {
    show(answer, next) {
      result = answer;
      failure = undefined;
      note = next;
      screen.draw(text());
    },
    fail(told, _failures, next) {
      failure = told;
      note = next;
      screen.draw(text());
    },
    end() {
      stdout.off('resize', resized);
      releaseKeys();
      note = '';
      if (result || failure) screen.draw(text());
    },
  };
}

function noteText(note: string, { stdout, env }: Terminal): string {
  return terminalText([[span(note, 'muted')]], hasColour(stdout, env), wrapWidthOf(stdout));
}

/** What is typed would be drawn into the answer. */
function quiet({ stdin, interruptNow }: Terminal): () => void {
  if (stdin.isTTY !== true || stdin.isRaw || !stdin.setRawMode || !interruptNow) return () => {};
  const keys = keysOf(stdin, interruptNow);
  keys.input.pause();
  stdin.setRawMode(true);
  return () => {
    stdin.setRawMode?.(false);
    keys.close();
  };
}
