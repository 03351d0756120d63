import { ask } from './elements.ts'
import type { Keys } from './keys.ts'
import { isRedrawing } from './redrawing.ts'

/** Serves what all forms that save have in common: keys, a busy button, no second send, a warning before words are lost. */
export function serveSaving(page: Document, keys: Keys): void {
  page.addEventListener('submit', (event) => send(event))
  // A page that comes back from the browser's store was sent once.
  addEventListener('pageshow', () => {
    for (const busy of page.querySelectorAll('form [aria-busy], form[data-sent]')) {
      busy.removeAttribute('aria-busy')
      busy.removeAttribute('data-sent')
    }
  })
  const form =
    page.querySelector<HTMLFormElement>('form#record, form#menu, form#form') ??
    page.querySelector<HTMLFormElement>('main form[method=post]:has(.primary)')
  if (!form) return
  if (!form.matches('[data-record]')) warn(form)
  keys.add({ name: 'Ctrl S', words: 'Save', run: () => press(form, saveOf(form)) })
  const publish = form.querySelector<HTMLButtonElement>('.say.primary')
  if (publish) keys.add({ name: 'Ctrl Enter', words: wordsOf(publish), run: () => void askThenPress(form, publish) })
}

function send(event: SubmitEvent): void {
  const { target, submitter } = event
  if (event.defaultPrevented || !(target instanceof HTMLFormElement) || target.method !== 'post' || isRedrawing(submitter)) return
  if ('sent' in target.dataset) {
    event.preventDefault()
    return
  }
  target.dataset.sent = ''
  submitter?.setAttribute('aria-busy', 'true')
}

/** The button that saves and leaves what is public as it is. */
function saveOf(form: HTMLFormElement): HTMLButtonElement | null {
  return (
    form.querySelector<HTMLButtonElement>('button[name="do"][value="save"]:not(:disabled)') ??
    form.querySelector<HTMLButtonElement>('button.primary:not(:disabled), button.say:not(:disabled)')
  )
}

function press(form: HTMLFormElement, button: HTMLButtonElement | null): boolean {
  if (!button) return false
  form.requestSubmit(button)
  return true
}

async function askThenPress(form: HTMLFormElement, button: HTMLButtonElement): Promise<void> {
  const label = wordsOf(button)
  const text = button.querySelector('small')?.textContent ?? ''
  if (await ask({ title: `${label}?`, text: text === '' ? '' : `${text}.`, confirm: label })) press(form, button)
}

function wordsOf(button: HTMLButtonElement): string {
  return button.firstChild?.textContent?.trim() ?? ''
}

/** Asks before words are left that no autosave keeps. */
function warn(form: HTMLFormElement): void {
  let isChanged = false
  for (const name of ['input', 'change']) {
    form.addEventListener(name, () => {
      isChanged = true
    })
  }
  form.addEventListener('reset', () => {
    isChanged = false
  })
  addEventListener('beforeunload', (event) => {
    if (isChanged && !('sent' in form.dataset)) event.preventDefault()
  })
}
