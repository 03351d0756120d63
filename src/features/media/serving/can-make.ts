import { createRequire } from 'node:module'
import { KeptFacts } from '#core/files/kept-facts.ts'
import { stampAt } from '#lib/files/stamp.ts'
import type { Pictures } from '#media/pictures/pictures.ts'

const SHARP = 'sharp'

/**
 * Makes the answer whether smaller pictures can be made on this machine. To try it takes a process of its own: that they can is kept
 * in a folder, where there is one, for as long as the installed package is the same.
 */
export function pictureMaking(pictures: () => Promise<Pictures>, folder: string | undefined): () => Promise<boolean> {
  const kept = new KeptFacts<true>(folder, 'picture-making', 1)
  let asked: Promise<boolean> | undefined
  const ask = async () => {
    const version = installed()
    if (version !== undefined && kept.get(SHARP, version)) return true
    const canMake = await (await pictures()).canMake()
    if (canMake && version !== undefined) kept.set(SHARP, version, true)
    return canMake
  }
  return () => {
    asked ??= ask()
    return asked
  }
}

/** A text that is the same as long as the package is, and what runs it; undefined where it is not found. */
function installed(): string | undefined {
  try {
    const file = createRequire(import.meta.url).resolve(SHARP)
    return `${process.version} ${process.platform} ${process.arch} ${file} ${stampAt(file)}`
  } catch {
    return undefined
  }
}
