//! Encrypted connections.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use rustls_native_certs::load_native_certs;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// Encrypts a connection to this host, whose certificate must be one that the system trusts, or that is in this file.
pub(crate) async fn encrypt(
    host: &str,
    stream: TcpStream,
    trusted: Option<&PathBuf>,
) -> io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    // What the system has but nobody can read is trusted by nobody.
    roots.add_parsable_certificates(load_native_certs().certs);
    if let Some(file) = trusted {
        let unusable = |error: &dyn std::fmt::Display| {
            io::Error::other(format!("the certificates in {} cannot be used: {error}", file.display()))
        };
        for certificate in CertificateDer::pem_file_iter(file).map_err(|error| unusable(&error))? {
            let certificate = certificate.map_err(|error| unusable(&error))?;
            roots.add(certificate).map_err(|error| unusable(&error))?;
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}
