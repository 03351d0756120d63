/** The name of the page for what is not there: no path is empty. */
export const MISSING = ''
