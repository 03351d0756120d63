import { hash } from 'node:crypto'

/** Returns a hash that represents a text: 27 characters of SHA-256 in base64url. */
export function short(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 27)
}
