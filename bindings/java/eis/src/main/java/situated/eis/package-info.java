/** Environments on a server, for platforms that support the Environment Interface Standard (EIS). */
package situated.eis;
