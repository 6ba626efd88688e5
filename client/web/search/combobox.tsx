import type { ComponentChildren, InputHTMLAttributes, RefObject, TargetedKeyboardEvent } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';

export interface Option {
  /** Stays the same while suggestions come and go. */
  readonly key: string;
  readonly content: ComponentChildren;
  readonly run: () => void;
}

export interface OptionGroup {
  readonly title: string;
  readonly options: readonly Option[];
}

interface ComboboxProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly groups: readonly OptionGroup[];
  /** Enter on the marked option, or with nothing marked; true if it was dealt with elsewhere. */
  readonly onEnter?: (marked: Option | undefined) => boolean;
  readonly inputRef?: RefObject<HTMLInputElement | null>;
  readonly inputProps?: InputHTMLAttributes<HTMLInputElement>;
  /** Whether the options are shown while the field is empty. */
  readonly isAlwaysOpen?: boolean;
}

/**
 * A field with a list of suggestions: the focus stays in the field, which names the marked option (ARIA APG, combobox with
 * listbox popup).
 */
export function Combobox(props: ComboboxProps) {
  const { label, value, onInput, groups, onEnter, inputRef, inputProps, isAlwaysOpen = false } = props;
  const id = useId();
  const [marked, setMarked] = useState<string>();
  const shown = groups.filter(({ options }) => options.length > 0);
  const options = shown.flatMap((group) => group.options);
  const isOpen = options.length > 0 && (isAlwaysOpen || value.trim() !== '');
  const index = Math.max(
    0,
    options.findIndex(({ key }) => key === marked),
  );
  const current = isOpen ? options[index] : undefined;
  const optionId = (option: Option) => `${id}-${options.indexOf(option)}`;

  useEffect(() => {
    if (current) document.getElementById(optionId(current))?.scrollIntoView({ block: 'nearest' });
  }, [current?.key]);

  function onKeyDown(event: TargetedKeyboardEvent<HTMLInputElement>): void {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      if (!onEnter?.(current)) current?.run();
      return;
    }
    const last = options.length - 1;
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: index >= last ? 0 : index + 1,
      ArrowUp: index <= 0 ? last : index - 1,
      ...(isAlwaysOpen && { Home: 0, End: last }),
    };
    const target = options[targets[event.key] ?? -1];
    if (!target || !isOpen) return;
    event.preventDefault();
    setMarked(target.key);
  }

  return (
    <div class="combobox">
      <input
        {...inputProps}
        ref={inputRef}
        type="text"
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-controls={`${id}-list`}
        aria-expanded={isOpen}
        aria-activedescendant={current && optionId(current)}
        autocomplete="off"
        autocapitalize="off"
        autocorrect="off"
        spellcheck={false}
        value={value}
        onInput={(event) => {
          setMarked(undefined);
          onInput(event.currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      <div
        id={`${id}-list`}
        class="options"
        role="listbox"
        aria-label={`Suggestions for ${label}`}
        hidden={!isOpen}
      >
        {isOpen &&
          shown.map((group) => (
            <div key={group.title} role="group" aria-label={group.title}>
              <div class="options-title" aria-hidden="true">
                {group.title}
              </div>
              {group.options.map((option) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the focus and the keys
                <div
                  key={option.key}
                  id={optionId(option)}
                  class="option"
                  role="option"
                  aria-selected={option === current}
                  // Before the click: pressing a button of the mouse would take the focus from the field.
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={option.run}
                >
                  {option.content}
                </div>
              ))}
            </div>
          ))}
      </div>
    </div>
  );
}
