/**
 * A client of situated: agents in Java act and perceive in environments on a server. {@link situated.Client} is where
 * to begin. The package needs Java 8 and nothing else; where Java has virtual threads, it uses them.
 */
package situated;
