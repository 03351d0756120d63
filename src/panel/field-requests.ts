import type { RecordLink, Upload } from './editor/options.ts'

/**
 * Sends a file to an address of the panel as its field `file`, with the token of a form, and returns what is answered as JSON.
 * Rejects with the answer's own words.
 */
export async function uploadFile(address: string, file: File, form: HTMLFormElement | null): Promise<Upload> {
  const body = new FormData()
  body.set('file', file)
  const token = form ? new FormData(form).get('_csrf') : null
  const answer = await fetch(address, {
    method: 'POST',
    body,
    headers: { accept: 'application/json', ...(typeof token === 'string' && { 'x-csrf-token': token }) },
  })
  const { url, alt } = await read(answer)
  if (typeof url !== 'string') throw new Error('the answer names no address.')
  return { url, alt: typeof alt === 'string' ? alt : '' }
}

/** Returns the records that an address of the panel answers to `?q=`, as JSON: a list of `title` and `url`. */
export async function findRecords(address: string, query: string, signal: AbortSignal): Promise<readonly RecordLink[]> {
  const url = new URL(address, document.baseURI)
  url.searchParams.set('q', query)
  const { data } = await read(await fetch(url, { signal, headers: { accept: 'application/json' } }))
  return Array.isArray(data) ? data.filter(isLink) : []
}

function isLink(found: unknown): found is RecordLink {
  return typeof found === 'object' && found !== null && 'title' in found && 'url' in found
}

async function read(answer: Response): Promise<Record<string, unknown>> {
  const body: unknown = await answer.json().catch(() => ({}))
  const found: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {}
  if (answer.ok) return found
  throw new Error(typeof found.message === 'string' ? found.message : `the server answered ${answer.status}.`)
}
