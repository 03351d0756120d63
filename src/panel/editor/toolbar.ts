import type { Extension } from '@codemirror/state'
import { type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { COMMANDS, type EditorCommand, keyLabel } from './commands.ts'
import { icon } from './icons.ts'
import { element } from './widgets.ts'

/** Draws the buttons of an editor at the start of an element, a `role="toolbar"`: one stop of the Tab key, arrows within. */
export function toolbar(host: HTMLElement): Extension {
  return ViewPlugin.define((view) => {
    const shown = COMMANDS.flatMap((command) =>
      command.button ? [{ command, button: draw(view, command, command.button) }] : [],
    )
    const drawn = shown.flatMap(({ command, button }, index) => {
      const isNext = index > 0 && command.button?.[1] !== shown[index - 1]?.command.button?.[1]
      return isNext ? [element('hr'), button] : [button]
    })
    const controller = new AbortController()
    host.prepend(...drawn)
    host.addEventListener('keydown', (event) => move(event, host), { signal: controller.signal })
    oneStop(host, shown[0]?.button)
    const press = (): void => {
      for (const { command, button } of shown) {
        if (command.isActive) button.setAttribute('aria-pressed', String(command.isActive(view.state)))
      }
    }
    press()
    return {
      update: ({ docChanged, selectionSet }: ViewUpdate) => {
        if (docChanged || selectionSet) press()
      },
      destroy: () => {
        controller.abort()
        for (const one of drawn) one.remove()
        for (const button of buttonsOf(host)) button.tabIndex = 0
      },
    }
  })
}

function draw(view: EditorView, { name, key, run }: EditorCommand, [shape]: NonNullable<EditorCommand['button']>): HTMLElement {
  const button = element('button')
  button.type = 'button'
  button.tabIndex = -1
  button.setAttribute('aria-label', name)
  button.title = key === undefined ? name : `${name} (${keyLabel(key)})`
  button.append(icon(shape))
  // The text keeps its selection and, on phones, its keyboard.
  button.addEventListener('mousedown', (event) => event.preventDefault())
  button.addEventListener('click', () => {
    run(view)
    view.focus()
  })
  return button
}

function buttonsOf(host: HTMLElement): HTMLElement[] {
  return [...host.querySelectorAll('button')]
}

function oneStop(host: HTMLElement, stop: HTMLElement | undefined): void {
  for (const button of buttonsOf(host)) button.tabIndex = button === stop ? 0 : -1
}

function move(event: KeyboardEvent, host: HTMLElement): void {
  const buttons = buttonsOf(host)
  const at = buttons.findIndex((button) => button.matches(':focus'))
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: (at + 1) % buttons.length,
    ArrowLeft: (at - 1 + buttons.length) % buttons.length,
    Home: 0,
    End: buttons.length - 1,
  }
  const next = buttons[steps[event.key] ?? -1]
  if (at < 0 || !next) return
  event.preventDefault()
  oneStop(host, next)
  next.focus()
}
