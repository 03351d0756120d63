const TONES = ['good', 'info', 'warn', 'plain'] as const

/** The sign of a person: their initials, and a tone that stays theirs. */
export function avatarOf({ id, name }: { readonly id: string; readonly name: string }): { initials: string; tone: string } {
  const words = name.split(/\s+/).filter((word) => word !== '')
  const initials = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0] ?? '').join('')
  const sum = [...id].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0)
  return { initials: initials.toUpperCase(), tone: TONES[sum % TONES.length] ?? 'plain' }
}
