import { ask } from './elements.ts'
import type { Keys } from './keys.ts'
import { isRedrawing } from './redrawing.ts'
import { toast } from './toasts.ts'

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
  if (!form.matches('[data-record]')) guard(page, form)
  keys.add({ name: 'Ctrl S', words: 'Save', run: () => press(form, saveOf(form)) })
  const publish = () => form.querySelector<HTMLButtonElement>('.say.primary')
  if (!publish()) return
  keys.add({
    name: 'Ctrl Enter',
    // What the button does changes with what was saved.
    get words() {
      return wordsOf(publish())
    },
    run: () => void askThenPress(form, publish()),
  })
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

async function askThenPress(form: HTMLFormElement, button: HTMLButtonElement | null): Promise<void> {
  if (!button) return
  const label = wordsOf(button)
  const text = button.querySelector('small')?.textContent ?? ''
  if (await ask({ title: `${label}?`, text: text === '' ? '' : `${text}.`, confirm: label })) press(form, button)
}

function wordsOf(button: HTMLButtonElement | null): string {
  return button?.firstChild?.textContent?.trim() ?? ''
}

/** Asks before words are left that no autosave keeps; without a connection, sending them leads away from nothing. */
function guard(page: Document, form: HTMLFormElement): void {
  let isChanged = false
  let isReached = false
  for (const name of ['input', 'change']) {
    form.addEventListener(name, () => {
      isChanged = true
    })
  }
  form.addEventListener('reset', () => {
    isChanged = false
  })
  form.addEventListener('submit', (event) => {
    const { submitter } = event
    if (event.defaultPrevented || isRedrawing(submitter) || !isChanged || isReached) return
    event.preventDefault()
    if ('asking' in form.dataset) return
    form.dataset.asking = ''
    submitter?.setAttribute('aria-busy', 'true')
    void reaches(page).then((answered) => {
      delete form.dataset.asking
      submitter?.removeAttribute('aria-busy')
      isReached = answered
      if (!answered) toast(page, { words: 'Not sent: no connection. All you typed is still here.' })
      else form.requestSubmit(submitter)
      isReached = false
    })
  })
  addEventListener('beforeunload', (event) => {
    if (isChanged && !('sent' in form.dataset)) event.preventDefault()
  })
}

/** Returns whether the server answers at all: a page that can't be reached takes the place of the one with the text. */
function reaches(page: Document): Promise<boolean> {
  const address = page.querySelector<HTMLLinkElement>('link[rel=icon]')?.href
  if (!address) return Promise.resolve(true)
  return fetch(address, { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  )
}
