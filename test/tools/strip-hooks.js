// Loads TypeScript with its types blanked out, so that lines and columns stay as they are. What was made of a file is kept in
// `.tap/stripped` for all test processes: most of them load the same files, and need no compiler then.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const kept = fileURLToPath(new URL('../../.tap/stripped/', import.meta.url))
mkdirSync(kept, { recursive: true })

let blank

/** See `load` of Node's module hooks. */
export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context)
  const text = readFileSync(fileURLToPath(url), 'utf8')
  const path = `${kept}${createHash('sha256').update(text).digest('hex')}.js`
  return { format: 'module', shortCircuit: true, source: read(path) ?? write(path, await stripped(text)) }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

async function stripped(text) {
  blank ??= (await import('ts-blank-space')).default
  return blank(text)
}

/** Another process may be writing the same file: what is there is always whole. */
function write(path, text) {
  const beside = `${path}.${process.pid}`
  writeFileSync(beside, text)
  renameSync(beside, path)
  return text
}
