import { Autosave } from './autosave.ts'
import { type Entries, entriesOf } from './entries.ts'
import { Keeping } from './keeping.ts'
import { isRedrawing } from './redrawing.ts'
import { takeOver } from './taking-over.ts'
import { type Flash, flashOf, toast } from './toasts.ts'

/** Keeps what is typed into the form of a record until it is saved, and saves it in place. */
export function keepRecord(page: Document): void {
  const form = page.querySelector<HTMLFormElement>('form[data-record]')
  const place = form?.querySelector<HTMLElement>('[data-keeping]')
  const type = /^\/admin\/content\/([^/]+)/.exec(location.pathname)?.[1]
  if (!form || !place || type === undefined || !form.querySelector('button.say')) return
  const keeping = new Keeping(place)
  new RecordSaving(form, keeping, new Autosave(form, keeping, `/admin/autosave/${type}/`))
}

/** The answer to a form that was sent: a page, or what a script is told in the place of one. */
interface Answer {
  readonly response: Response
  readonly page?: Document
  readonly message?: string
  readonly csrf?: string
}

/**
 * Saves a record without leaving its page: what the answer says is taken over, and who types goes on typing. A page of another kind,
 * such as that of a conflict, is led to; where there is no connection, nothing leads away from the text.
 */
export class RecordSaving {
  readonly #form: HTMLFormElement
  readonly #keeping: Keeping
  readonly #autosave: Autosave
  #isSaving = false
  /** The button of a save that waits for the one before it. */
  #next: string | undefined
  #isLeading = false
  #endToast = () => {}

  constructor(form: HTMLFormElement, keeping: Keeping, autosave: Autosave) {
    this.#form = form
    this.#keeping = keeping
    this.#autosave = autosave
    form.addEventListener('submit', (event) => this.#submit(event))
    addEventListener('pageshow', () => {
      this.#isLeading = false
    })
  }

  #submit(event: SubmitEvent): void {
    const { submitter, defaultPrevented } = event
    if (defaultPrevented || this.#isLeading || isRedrawing(submitter)) return
    event.preventDefault()
    const button = submitter instanceof HTMLButtonElement ? submitter : null
    if (this.#isSaving) this.#next = button?.value
    else void this.#save(button)
  }

  async #save(button: HTMLButtonElement | null): Promise<void> {
    this.#isSaving = true
    button?.setAttribute('aria-busy', 'true')
    const stopTelling = this.#keeping.saving()
    const sent = entriesOf(this.#form, button)
    const body = pairsOf(this.#form, button)
    const text = this.#autosave.begin()
    const answer = await this.#send(body).catch(() => undefined)
    stopTelling()
    button?.removeAttribute('aria-busy')
    this.#isSaving = false
    const next = this.#next
    this.#next = undefined
    const isSaved = this.#take(answer, { text, sent, button })
    if (isSaved && next !== undefined && (next !== 'save' || !this.#autosave.isKnown)) this.#press(next)
  }

  /** Sends a form; once more with the proof of now, where its author has signed in anew. */
  async #send(body: URLSearchParams): Promise<Answer> {
    const answer = await this.#ask(body)
    if (answer.csrf === undefined) return answer
    this.#autosave.renew(answer.csrf)
    body.set('_csrf', answer.csrf)
    return this.#ask(body)
  }

  async #ask(body: URLSearchParams): Promise<Answer> {
    // Errors are told to a script; forms are pages all the same.
    const headers = { accept: 'application/json' }
    const response = await fetch(this.#form.action, { method: 'POST', body, headers })
    const text = await response.text()
    if (!response.headers.get('content-type')?.startsWith('application/json'))
      return { response, page: new DOMParser().parseFromString(text, 'text/html') }
    return { response, ...JSON.parse(text) }
  }

  /** Returns whether the form was saved. */
  #take(answer: Answer | undefined, { text, sent, button }: Sent): boolean {
    if (!answer?.page || !isOfPanel(answer.page)) {
      this.#refused(answer)
      return false
    }
    const { response, page } = answer
    const form = page.querySelector<HTMLFormElement>('form#record')
    if (!form) {
      this.#lead(response, { text, sent, button })
      return false
    }
    const isSaved = response.ok
    const isTyped = !this.#autosave.isAt(text)
    for (const offer of this.#autosave.offersIn(form)) offer.remove()
    const flash = flashOf(page)
    takeOver(this.#form, { page, form, sent, isSaved })
    const isKept = this.#keeping.take(form)
    if (isSaved) this.#autosave.saved(isTyped)
    else this.#autosave.kept(isKept ? text : '')
    if (isSaved) history.replaceState(history.state, '', addressOf(response.url))
    const summary = this.#form.querySelector<HTMLElement>('[data-take-focus]')
    const words = flash?.words ?? summary?.querySelector('b')?.textContent
    if (words) this.#toast(words, flash?.undo)
    // Who types goes on typing; the summary is spoken as it comes.
    if (!isTyped) summary?.focus()
    return isSaved
  }

  #refused(answer: Answer | undefined): void {
    if (answer?.response.status === 401) {
      this.#autosave.sessionOver()
      return
    }
    this.#toast(answer?.message ? `Not saved. ${answer.message}` : `Not saved: ${reasonOf(answer)}. All you typed is still here.`)
    this.#autosave.keepNow()
  }

  /** Leads to a page that is none of this form: where it was saved, that of the answer; else the form is sent as browsers do. */
  #lead(response: Response, { text, sent, button }: Sent): void {
    this.#isLeading = true
    this.#autosave.lead(text)
    if (response.redirected) location.assign(response.url)
    else if (button?.isConnected) this.#form.requestSubmit(button)
    else this.#press(sent.get('do')?.[0] ?? '')
  }

  /** Says what became of a save, in the place of what was said of the one before. */
  #toast(words: string, undo?: Flash['undo']): void {
    this.#endToast()
    this.#endToast = toast(document, { words, undo })
  }

  #press(value: string): void {
    const button = this.#form.querySelector<HTMLButtonElement>(`button[name="do"][value="${CSS.escape(value)}"]`)
    if (button) this.#form.requestSubmit(button)
  }
}

/** A form that was sent, and the button that sent it. */
interface Sent {
  readonly text: string
  readonly sent: Entries
  readonly button: HTMLButtonElement | null
}

/** Returns whether a page is one of the panel, and not that of a proxy before it: leading to that would take the text away. */
function isOfPanel(page: Document): boolean {
  return page.querySelector('meta[name="csrf"]') !== null
}

function reasonOf(answer: Answer | undefined): string {
  return answer ? `a proxy answered in the server's place (${answer.response.status})` : 'no connection'
}

function pairsOf(form: HTMLFormElement, button: HTMLButtonElement | null): URLSearchParams {
  return new URLSearchParams(
    [...new FormData(form, button)].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}

/** The address of a page, without the word for what was just done. */
function addressOf(url: string): URL {
  const address = new URL(url)
  for (const name of ['done', 'merged']) address.searchParams.delete(name)
  return address
}
